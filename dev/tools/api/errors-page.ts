import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type ErrorCode, errorRowOf, errorTable, isErrorCode, messagesOfReads } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { ErrorHeaders } from '#contracts/shared/error-row.ts'
import { labels } from '#contracts/shared/row.ts'
import { commonErrors, listErrorCodes } from '#gateway/openapi/route-errors.ts'

const labelsByCode = (): ReadonlyMap<ErrorCode, readonly Label[]> => {
  const codes = Object.keys(errorTable).filter(isErrorCode)
  const errors = labels.map((label) => [label, listErrorCodes(label)] as const)
  return new Map(
    codes.map((code) => [code, errors.filter(([, listed]) => listed.includes(code)).map(([label]) => label)]),
  )
}

// Errors for requests that no route serves, or that are rejected before routing.
const unroutedErrors: readonly ErrorCode[] = [
  'route_not_found',
  'method_not_allowed',
  'method_not_implemented',
  'track_resource_not_found',
  'uri_too_long',
  'version_not_supported',
]

const isOfOperators = (code: ErrorCode) =>
  /^(operator|route_(?!not)|account_override|gateway_instance|routing)_?/.test(code)

const maxListed = 4

const describeRoutes = (routes: readonly Label[]) => {
  if (routes.length <= maxListed) return routes.map((label) => `\`${label}\``).join(', ')
  const areas = [...new Set(routes.map((label) => label.split('.', 1)[0]))]
  return `${routes.length} routes of ${areas.map((area) => `\`${area}\``).join(', ')}`
}

const describeSource = (code: ErrorCode, routes: readonly Label[]) => {
  if (commonErrors.includes(code)) return 'every request'
  if (unroutedErrors.includes(code)) return 'requests that no route serves'
  if (isOfOperators(code)) return 'the operator API'
  return routes.length > 0 ? describeRoutes(routes) : 'routes that are switched off'
}

const describeHeaders = (headers: ErrorHeaders) =>
  Object.entries(headers)
    .map(([name, header]) => (header === 'optional' ? `\`${name}\` (optional)` : `\`${name}\``))
    .join(', ')

const describeFields = (code: ErrorCode) =>
  Object.entries(errorRowOf(code).fields)
    .filter(([name]) => name !== 'message')
    .map(([name, schema]) =>
      z.safeParse(schema, undefined).success ? `\`${name}\` (optional)` : `\`${name}\``,
    )
    .join(', ')

const describeMessage = (code: ErrorCode) => {
  const { message } = errorRowOf(code)
  const ofReads = messagesOfReads[code]
  return ofReads === undefined ? message : `For a write: ${message} For a GET: ${ofReads}`
}

const formatRow = (cells: readonly string[]) => `| ${cells.map((cell) => cell || '-').join(' | ')} |`

export const formatErrorsPage = (): string => {
  const rows = [...labelsByCode()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, routes]) => {
      const { statuses, headers } = errorRowOf(code)
      return formatRow([
        `\`${code}\``,
        statuses.join(', '),
        describeMessage(code),
        describeFields(code),
        describeHeaders(headers),
        describeSource(code, routes),
      ])
    })
  return `${[
    '# Errors',
    '',
    'For client developers: what each error means, what to do about it, and which routes return it. An error is a JSON object.',
    'Match its code in `error`, which is stable. Show `message` to people only: it may change, or say more than this page.',
    '',
    "The gateway forwards the legacy core's responses unchanged. Their errors have the same codes, except `validation_failed`",
    'instead of `validation_error`, and usually no message.',
    '',
    '`npm run errors-page` generates this page from `contracts/errors.ts` and the route table.',
    '',
    formatRow(['code', 'status', 'message', 'further fields', 'headers', 'returned by']),
    formatRow(['---', '---', '---', '---', '---', '---']),
    ...rows,
  ].join('\n')}\n`
}

// `npm run errors-page`
if (import.meta.main) writeFileSync(join(import.meta.dirname, '../../../docs/errors.md'), formatErrorsPage())
