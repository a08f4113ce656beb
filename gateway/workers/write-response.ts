import type { ResponseHeaders } from '../request/response-headers.ts'

/** Creates a response in which each cookie is a separate `set-cookie` header. */
export const createResponse = (
  method: string,
  status: number,
  headers: ResponseHeaders,
  body: BodyInit | null,
): Response => {
  const list = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const item of Array.isArray(value) ? value : [value]) list.append(name, item)
  // The runtime would compress a body again whose headers say that it is compressed.
  const init: ResponseInit & { readonly encodeBody: 'manual' } = {
    status,
    headers: list,
    encodeBody: 'manual',
  }
  return new Response(method === 'HEAD' ? null : body, init)
}
