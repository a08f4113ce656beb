import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { toDiffSchema } from './diff-schema.ts'
import { isObject } from './json.ts'
import { type RecordedResponse, readErrorCode } from './recorded-response.ts'

/** Reasons why the responses to a client's request say nothing about native. */
export const liveLimits = ['rate_limited', 'quota_exceeded', 'not_paged'] as const
type LiveLimit = (typeof liveLimits)[number]

const tooManyRequests = 429
const cursorField = 'nextCursor'

const isQuotaExceeded = ({ status, body }: RecordedResponse) =>
  status === 409 && readErrorCode(body) === 'quota_exceeded'

const hasCursor = ({ body }: RecordedResponse) =>
  body.kind === 'json' && isObject(body.value) && Object.hasOwn(body.value, cursorField)

const declaresCursor = (label: Label) => {
  const { responses }: Contract = contracts[label]
  const schema = responses[200]
  const compiled = schema ? toDiffSchema(schema) : null
  return compiled?.kind === 'object' && compiled.fields.has(cursorField)
}

// Paging is native's addition, so a core without it returns the whole list.
const isPagedByNativeAlone = (
  label: Label,
  query: string,
  native: RecordedResponse,
  core: RecordedResponse,
) => {
  if (native.status !== 200 || core.status !== 200 || !declaresCursor(label)) return false
  const parameters = new URLSearchParams(query)
  if (!parameters.has('limit') && !parameters.has('cursor')) return false
  return hasCursor(native) && !hasCursor(core)
}

/**
 * Returns why two responses to a client's request cannot be compared; `null` if they can. The sides may count the
 * client's earlier actions towards a limit separately, or the core may not page the list. `query` has no question mark.
 */
export const findLiveLimit = (
  label: Label,
  query: string,
  native: RecordedResponse,
  core: RecordedResponse,
): LiveLimit | null => {
  if (native.status === tooManyRequests || core.status === tooManyRequests) return 'rate_limited'
  if (isQuotaExceeded(native) || isQuotaExceeded(core)) return 'quota_exceeded'
  return isPagedByNativeAlone(label, query, native, core) ? 'not_paged' : null
}
