// Line breaks would end a list item, and direction controls would reorder the text around a title.
const layoutControls = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\s]+/gu

const longestRun = (text: string) =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((backticks) => backticks.length))

/**
 * Quotes a user's text as a one-line Markdown code span, so that nothing in it becomes markup, HTML or a link. A span
 * ends only at a run of backticks of its own length (CommonMark, section 6.1), so the fence is longer than any run
 * inside.
 */
export const quoteMarkdown = (text: string): string => {
  const line = text.toWellFormed().replace(layoutControls, ' ').trim()
  if (line === '') return 'without a title'
  const fence = '`'.repeat(longestRun(line) + 1)
  // CommonMark strips one space on each side.
  return line.startsWith('`') || line.endsWith('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`
}
