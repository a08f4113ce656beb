import { labels, rowOf } from '#contracts/shared/row.ts'
import { readArgumentsOrExit, readCommandLine } from '../process/command-line.ts'

readArgumentsOrExit('routes', (args) => readCommandLine({ name: 'routes', flags: {} }, args), 1)

const columns = ['route', 'method', 'path', 'auth', 'runtime', 'effects']
const rows = labels.map((label) => {
  const { method, path, auth, runtime, effects } = rowOf(label)
  return [label, method, path, auth, runtime, effects]
})
const widths = columns.map((column, index) =>
  Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)),
)
const formatRow = (cells: readonly string[]) =>
  cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join('  ')
    .trimEnd()

process.stdout.write(`${[columns, ...rows].map(formatRow).join('\n')}\n`)
