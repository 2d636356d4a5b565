//! Sorting, compiled once. The standard library's own is made anew for each type and each
//! comparison, kilobytes every time: too much of a download for short lists.

use std::cmp::Ordering;

/// Sorts numbers of rows, tokens or classes by what they stand for; equal ones stay in order.
pub fn sort(ids: &mut [u32], compare: &mut dyn FnMut(u32, u32) -> Ordering) {
    ids.sort_by(|a, b| compare(*a, *b));
}

/// Anything in order; equal ones stay as they were.
pub fn sorted<T>(items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    sort(&mut order, &mut |a, b| compare(&items[a as usize], &items[b as usize]));
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let next = |at: u32| items[at as usize].take().expect("each place comes once");
    order.into_iter().map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_stay_in_order() {
        let lengths = [3, 1, 2, 1, 3, 2];
        let mut ids: Vec<u32> = (0..6).collect();
        sort(&mut ids, &mut |a, b| lengths[a as usize].cmp(&lengths[b as usize]));
        assert_eq!(ids, [1, 3, 2, 5, 0, 4]);
        let words = ["three", "a", "be", "b", "seven", "at"].map(String::from).to_vec();
        let words = sorted(words, |a, b| a.len().cmp(&b.len()));
        assert_eq!(words, ["a", "b", "be", "at", "three", "seven"]);
    }
}
