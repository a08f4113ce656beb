import { activeTrace, inSpan, type Span, traceHeadersOf } from './tracing/trace.ts'

const fetchInTrace = async (span: Span | null, url: string | URL, init: RequestInit) => {
  const trace = activeTrace()
  const headers = new Headers(init.headers)
  if (trace) for (const [name, value] of Object.entries(traceHeadersOf(trace))) headers.set(name, value)
  const response = await fetch(url, { ...init, headers })
  span?.set({ 'http.response.status_code': response.status })
  if (response.status >= 400) span?.fail(String(response.status))
  return response
}

/**
 * Calls a provider like `fetch`, in a span that ends with the response head. The span has no URL, because URLs contain
 * ids and addresses.
 */
export const fetchTraced = (provider: string, url: string | URL, init: RequestInit): Promise<Response> => {
  if (!activeTrace()) return fetch(url, init)
  const method = init.method ?? 'GET'
  return inSpan(`${method} ${provider}`, (span) => fetchInTrace(span, url, init), {
    kind: 'client',
    attributes: { 'http.request.method': method, 'peer.service': provider },
  })
}
