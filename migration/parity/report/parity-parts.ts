import { html, raw } from 'hono/html'
import type { Comparison } from './parity-run.ts'

export type ReportHtml = ReturnType<typeof html>

export const joinLines = (parts: readonly ReportHtml[]) => raw(parts.join('\n'))

const kinds: Readonly<Record<string, string>> = {
  pass: 'good',
  equal: 'good',
  not_comparable: 'warn',
  could_not_compare: 'warn',
  inconclusive: 'warn',
  'not compared': 'warn',
  regression: 'bad',
  critical: 'bad',
  failed: 'bad',
}

export const kindOf = (name: string) => kinds[name] ?? ''

export const formatBadge = (name: string) =>
  html`<span class="badge ${kindOf(name)}">${name.replaceAll('_', ' ')}</span>`

export const listStatuses = ({ native, core }: Comparison) => [
  ...new Set([native, core].map((status) => String(status ?? 'none'))),
]

export const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/**
 * Replaces the characters that HTML and XML 1.0 forbid even when escaped: most control characters, lone surrogates,
 * U+FFFE and U+FFFF.
 */
export const replaceForbidden = (text: string) =>
  Array.from(text.toWellFormed(), (character) =>
    (character < ' ' && !'\t\n\r'.includes(character)) || character === '\ufffe' || character === '\uffff'
      ? '\ufffd'
      : character,
  ).join('')
