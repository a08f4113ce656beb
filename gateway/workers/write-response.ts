import type { ResponseHeaders } from '../request/response-headers.ts'

/** A response with each `set-cookie` as a header of its own. */
export const createResponse = (
  method: string,
  status: number,
  headers: ResponseHeaders,
  body: BodyInit | null,
): Response => {
  const list = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value]) list.append(name, one)
  return new Response(method === 'HEAD' ? null : body, { status, headers: list })
}
