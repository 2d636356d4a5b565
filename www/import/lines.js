// Lines as an editor numbers them: "\n", "\r\n" and "\r" all end one.

/**
 * @param {string} text
 * @param {number} [start]
 * @returns {Generator<{ text: string, line: number, end: number }>} `end`: where the next line begins
 */
export function* linesOf(text, start = 0) {
  const ends = /\r\n?|\n/g;
  ends.lastIndex = start;
  let line = 1;
  let begin = start;
  for (let found = ends.exec(text); found; found = ends.exec(text)) {
    yield { text: text.slice(begin, found.index), line, end: ends.lastIndex };
    begin = ends.lastIndex;
    line += 1;
  }
  if (begin < text.length) yield { text: text.slice(begin), line, end: text.length };
}
