import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const logsAndMetricsPage = readFileSync(
  join(import.meta.dirname, '../../docs/logs-and-metrics.md'),
  'utf8',
)

/** The parts of a table cell that are written as code. */
export const listCode = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** Reads the cells of each row, from every table with this header line. */
export const readTables = (head: string): readonly (readonly string[])[] =>
  logsAndMetricsPage
    .split(`${head}\n`)
    .slice(1)
    .flatMap((rest) =>
      rest
        .slice(0, rest.search(/\n(?!\|)/))
        .split('\n')
        .slice(1),
    )
    .map((row) =>
      row
        .split('|')
        .slice(1)
        .map((cell) => cell.trim()),
    )
