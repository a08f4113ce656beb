import type * as z from 'zod'
import type { NativeRoute, StatusResult } from '#native-routes/define-route.ts'
import { emptyResponse, type GatewayResponse, jsonHeaders, jsonResponse } from '../request/response.ts'
import { encodeInSlices, hasLongList } from './encode-in-slices.ts'

/** A handler returned what its own contract does not allow: a bug, and never sent to a client. */
class ResponseMismatch extends Error {
  override name = 'ResponseMismatch'
}

type RouteContract = NativeRoute['contract']

const isStatusResult = (result: unknown): result is StatusResult =>
  typeof result === 'object' && result !== null && 'status' in result && 'body' in result

// The keys of `responses` have no reliable order, so where there are several the handler names the status.
const readStatusAndBody = ({ label, responses }: RouteContract, result: unknown): StatusResult => {
  const statuses = Object.keys(responses).map(Number)
  const [only] = statuses
  if (statuses.length === 1 && only !== undefined) return { status: only, body: result }
  if (isStatusResult(result) && statuses.includes(result.status)) return result
  throw new ResponseMismatch(`${label}: the result names no status of the contract`)
}

const redact = ({ label }: RouteContract, status: number, schema: z.ZodType, body: unknown): unknown => {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const paths = parsed.error.issues.map(({ path, code }) => `${path.join('.')} (${code})`)
  throw new ResponseMismatch(`${label} ${status}: ${paths.join(', ')}`)
}

/**
 * Builds the response of a handler's result: parsing it removes every field that the schema does not name. Returns a
 * promise only for a long list, which must not block other requests.
 */
export const redactResponse = (
  contract: RouteContract,
  result: unknown,
): GatewayResponse | Promise<GatewayResponse> => {
  const { status, body } = readStatusAndBody(contract, result)
  const schema = contract.responses[status]
  if (!schema) return emptyResponse(status)
  if (!hasLongList(body)) return jsonResponse(status, redact(contract, status, schema, body))
  const encoded = encodeInSlices(body, (part) => redact(contract, status, schema, part))
  return encoded.then((chunks) => ({ status, headers: jsonHeaders, body: chunks }))
}
