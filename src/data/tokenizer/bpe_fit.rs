//! Learning the merges of [`super::bpe`]: the commonest pair first, counted over whole words.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::bpe::{BYTES, Pair};
use crate::order::sorted;
use crate::rng::fnv1a_64;

/// A pair seen less often than this is not worth a token.
const MIN_COUNT: i64 = 2;
/// Distinct pieces to learn from, in bytes: the commonest ones. Most texts of 10 MB have fewer;
/// texts without spaces would take minutes and tell little more.
const ENOUGH: usize = 1 << 20;

/// A distinct piece of the text, as cut so far.
struct Word {
    tokens: Vec<u32>,
    count: i64,
}

impl Word {
    fn pairs(&self) -> impl Iterator<Item = Pair> {
        self.tokens.windows(2).map(|pair| (pair[0], pair[1]))
    }
}

/// As many of the commonest pieces as are [`ENOUGH`]; among equally common ones, any.
fn commonest<'a>(pieces: &HashMap<&'a str, u64>) -> impl Iterator<Item = (&'a str, i64)> {
    // "Any" must be the same ones in every run, but not those of one part of the alphabet.
    let keyed = |(piece, count): (&&'a str, &u64)| (*count, fnv1a_64(piece.as_bytes()), *piece);
    let pieces: Vec<(u64, u64, &str)> = pieces.iter().map(keyed).collect();
    let pieces = sorted(pieces, |a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut bytes = 0;
    let enough = move |(_, _, piece): &(u64, u64, &str)| {
        bytes += piece.len();
        bytes <= ENOUGH
    };
    pieces.into_iter().take_while(enough).map(|(count, _, piece)| (piece, count as i64))
}

/// Puts `made` in the place of every `pair`, from the left, and says which pairs come and go.
fn merge(tokens: &mut Vec<u32>, pair: Pair, made: u32, mut change: impl FnMut(Pair, i64)) {
    let (mut kept, mut at) = (0, 0);
    while at < tokens.len() {
        let token = tokens[at];
        if (Some(&token), tokens.get(at + 1)) != (Some(&pair.0), Some(&pair.1)) {
            tokens[kept] = token;
            at += 1;
        } else {
            change(pair, -1);
            if let Some(left) = kept.checked_sub(1).map(|left| tokens[left]) {
                change((left, pair.0), -1);
                change((left, made), 1);
            }
            if let Some(right) = tokens.get(at + 2) {
                change((pair.1, *right), -1);
                change((made, *right), 1);
            }
            tokens[kept] = made;
            at += 2;
        }
        kept += 1;
    }
    tokens.truncate(kept);
}

/// Up to `most` merges for pieces that occur so many times each. Among equally common pairs the
/// one of the lower tokens comes first, so the result depends on the counts alone.
pub(super) fn merges(pieces: &HashMap<&str, u64>, most: usize) -> Vec<Pair> {
    let mut words: Vec<Word> = commonest(pieces)
        .map(|(piece, count)| Word { tokens: piece.bytes().map(u32::from).collect(), count })
        .collect();
    let mut counts = HashMap::<Pair, i64>::new();
    // Words in which a pair has been; later merges may have taken it out of some again.
    let mut places = HashMap::<Pair, Vec<u32>>::new();
    for (word, index) in words.iter().zip(0..) {
        for pair in word.pairs() {
            *counts.entry(pair).or_default() += word.count;
            places.entry(pair).or_default().push(index);
        }
    }
    // Whenever a count changes it is queued anew, so an entry holds if it agrees with `counts`.
    let mut queue: BinaryHeap<(i64, Reverse<Pair>)> =
        counts.iter().map(|(pair, count)| (*count, Reverse(*pair))).collect();
    let mut merges = Vec::new();
    while merges.len() < most {
        let Some((count, Reverse(pair))) = queue.pop() else { break };
        if count < MIN_COUNT || counts.get(&pair) != Some(&count) {
            continue;
        }
        let made = BYTES + merges.len() as u32;
        merges.push(pair);
        let mut changes = HashMap::<Pair, i64>::new();
        for index in places.remove(&pair).expect("a counted pair is in some word") {
            let Word { tokens, count } = &mut words[index as usize];
            merge(tokens, pair, made, |other, change| {
                *changes.entry(other).or_default() += change * *count;
                if change > 0 {
                    places.entry(other).or_default().push(index);
                }
            });
        }
        for (pair, change) in changes.into_iter().filter(|(_, change)| *change != 0) {
            let count = counts.entry(pair).or_default();
            *count += change;
            if *count > 0 {
                queue.push((*count, Reverse(pair)));
            } else {
                counts.remove(&pair);
                places.remove(&pair);
            }
        }
    }
    merges
}
