/** Formats rows as aligned columns. The first row is the heading. */
export const formatColumns = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(...rows.map((cells) => cells[index]?.length ?? 0)),
  )
  return rows
    .map((cells) =>
      cells
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const lineWidth = 100

/** Wraps a text at 100 columns and indents every line except the first. */
export const wrapText = (text: string): string => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined) lines.push(word)
    else if (line.length + word.length < lineWidth) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines.join('\n')
}
