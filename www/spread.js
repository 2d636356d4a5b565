// Labels beside what they name, moved apart so that none lies on another.

/**
 * Moves labels apart, as little as it takes, keeping their order and the bounds.
 *
 * @param {{ y: number, place: number }[]} labels sorted by y
 * @param {number} gap
 * @param {number} low
 * @param {number} high
 */
export function spread(labels, gap, low, high) {
  let floor = low;
  for (const label of labels) {
    label.place = Math.max(label.y, floor);
    floor = label.place + gap;
  }
  let ceiling = high;
  for (const label of [...labels].reverse()) {
    label.place = Math.min(label.place, ceiling);
    ceiling = label.place - gap;
  }
}
