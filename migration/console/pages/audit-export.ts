import type { AuditEntries } from '../api-types.ts'

type Entry = Omit<AuditEntries['entries'][number], 'move'>

const columns = ['at', 'who', 'scope', 'action', 'before', 'after', 'reason', 'epoch'] as const

const toText = (value: Entry[(typeof columns)[number]]) =>
  value === null || typeof value === 'string' ? (value ?? '') : JSON.stringify(value)

// A spreadsheet runs a cell that starts with one of these as a formula.
const formula = /^[=+\-@\t\r\n]/

const toCell = (text: string) => `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** Formats changes as CSV (RFC 4180), with an apostrophe before any text that a spreadsheet would run as a formula. */
export const formatAuditCsv = (entries: readonly Entry[]): string =>
  [columns.join(','), ...entries.map((entry) => columns.map((name) => toCell(toText(entry[name]))).join(','))]
    .map((line) => `${line}\r\n`)
    .join('')

/** Formats changes as one JSON object per line, as stored. */
export const formatAuditLines = (entries: AuditEntries['entries']): string =>
  entries.map(({ move: _, ...stored }) => `${JSON.stringify(stored)}\n`).join('')
