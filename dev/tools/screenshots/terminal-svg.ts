export const columns = 80

interface Cell {
  readonly character: string
  readonly style: string
}

// The CSS class for each code that `styleText` writes.
const styles: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
}

/**
 * Returns the lines that a terminal shows after `output`. Understands what `styleText` and `node:readline` write:
 * colours, and cursor movements within a line.
 */
const readScreen = (output: string): readonly (readonly (Cell | undefined)[])[] => {
  const lines: (Cell | undefined)[][] = [[]]
  let column = 0
  let active: readonly string[] = []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by them
  for (const [text, code = '', command] of output.matchAll(/\x1b\[(?:\?)?([\d;]*)([A-Za-z])|[^\x1b]/gu)) {
    const line = lines.at(-1) ?? []
    if (command === 'm') active = styles[code] === undefined ? [] : [...active, styles[code]]
    else if (command === 'G') column = Number(code || 1) - 1
    else if (command === 'K') line.splice(code === '2' ? 0 : column)
    else if (command !== undefined) continue
    else if (text === '\r') column = 0
    else if (text === '\n') lines.push([])
    else {
      line[column] = { character: text, style: active.join(' ') }
      column += 1
    }
  }
  return lines
}

interface Run {
  readonly column: number
  readonly style: string
  readonly text: string
}

const listRuns = (line: readonly (Cell | undefined)[]): readonly Run[] => {
  const runs: Run[] = []
  for (const [column, { character, style } = { character: ' ', style: '' }] of line.entries()) {
    const last = runs.at(-1)
    if (last?.style === style) runs.splice(-1, 1, { ...last, text: last.text + character })
    else runs.push({ column, style, text: character })
  }
  return runs.filter(({ text }) => text.trim() !== '')
}

const escapeXml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)

const fontSize = 14
const cellWidth = 8.4
const lineHeight = 20
const padding = 20

// `textLength` keeps the columns aligned in any font.
const drawRun = ({ column, style, text }: Run, row: number) => {
  const indent = text.length - text.trimStart().length
  const shown = text.trim()
  const x = (padding + (column + indent) * cellWidth).toFixed(1)
  const y = padding + (row + 0.75) * lineHeight
  const length = ([...shown].length * cellWidth).toFixed(1)
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style && ` class="${style}"`}>${escapeXml(shown)}</text>`
}

export const drawTerminal = (output: string, title: string): string => {
  const lines = readScreen(output.trimEnd())
  const width = columns * cellWidth + 2 * padding
  const height = lines.length * lineHeight + 2 * padding
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>
text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e7ebf0; white-space: pre }
.bold { font-weight: 700 } .dim { fill: #a3aebb } .red { fill: #ff9a9f } .green { fill: #74d692 } .yellow { fill: #ecc06b } .cyan { fill: #8fd6e8 }
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="#12161b" stroke="#343e4a"/>
${lines.flatMap((line, row) => listRuns(line).map((run) => drawRun(run, row))).join('\n')}
</svg>
`
}
