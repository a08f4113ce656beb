// Line breaks end a list item. Controls of the text direction would reorder the text around a title.
const layoutControls = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\s]+/gu

const longestRun = (text: string) =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((backticks) => backticks.length))

/**
 * Text of a user as a code span of Markdown, on one line. Inside a code span nothing is markup, an HTML tag or a link,
 * and an address is not made a link either, as it would be in text with escapes. It ends at a run of backticks of the
 * same length only (CommonMark, section 6.1), so its fence is longer than every run inside.
 */
export const quoteMarkdown = (text: string): string => {
  const line = text.toWellFormed().replace(layoutControls, ' ').trim()
  if (line === '') return 'without a title'
  const fence = '`'.repeat(longestRun(line) + 1)
  // One space on both sides is not part of the text.
  return line.startsWith('`') || line.endsWith('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
}
