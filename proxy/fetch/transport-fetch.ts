import { BodyProgress, type BodyProgressLimits, defaultBodyProgressLimits } from '../body-progress.ts'
import { type CircuitBreaker, coreStateOf, createCircuitBreaker } from '../circuit-breaker.ts'
import {
  type BodyStart,
  type CoreFailure,
  type CoreRequest,
  type ForwardOutcome,
  isSafe,
  parseCoreOrigin,
} from '../core-request.ts'
import {
  clientResponseHeaders,
  coreRequestHeaders,
  isForwardingLoop,
  isKnownCoding,
  toHeaders,
} from '../headers/header-rules.ts'

export interface FetchTransportOptions {
  readonly coreBaseUrl: string
  readonly viaPseudonym: string
  /** Without it, redirects to the core become relative. */
  readonly publicBaseUrl?: string | null
  readonly timeoutMs?: number
  readonly bodyProgress?: BodyProgressLimits
  readonly breaker?: CircuitBreaker
}

/** How forwarding ended without a response of the core. */
type FetchForwardEnd = Extract<ForwardOutcome, { readonly kind: 'failed' | 'client-gone' }>

const createDeadline = (client: AbortSignal) => {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let code: CoreFailure | null = null
  let isCleared = false
  return {
    signal: AbortSignal.any([client, controller.signal]),
    code: () => code,
    extend(milliseconds: number, failure: CoreFailure) {
      clearTimeout(timer)
      // The core may respond while it still reads the body.
      if (isCleared) return
      timer = setTimeout(() => {
        code = failure
        controller.abort()
      }, milliseconds)
    },
    /** Ends the request before its deadline. */
    abort(failure: CoreFailure) {
      code ??= failure
      controller.abort()
    },
    clear() {
      isCleared = true
      clearTimeout(timer)
    },
  }
}

type Deadline = ReturnType<typeof createDeadline>

// The core reads the body chunk by chunk. The client's time does not count until the core asks for the next chunk, so
// back-pressure never makes a client too slow.
const limitProgress = (
  body: ReadableStream<Uint8Array>,
  start: BodyStart | null,
  deadline: Deadline,
  limits: BodyProgressLimits,
  timeoutMs: number,
) => {
  const reader = body.getReader()
  const progress = start?.progress ?? new BodyProgress(limits)
  let isCancelled = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = start?.chunks.shift()
        if (read) {
          deadline.extend(timeoutMs, 'core_timeout')
          if (start?.chunks.length === 0) start.release()
          return controller.enqueue(read)
        }
        const now = performance.now()
        progress.resume(now)
        deadline.extend(Math.max(0, progress.deadline - now), 'request_timeout')
        // The client has broken its body off. If only this stream failed, the runtime would end the core's body as if it
        // were complete, and Node's `fetch` would fail as if the core could not be reached.
        const { done, value } = await reader.read().catch((error) => {
          if (!isCancelled) deadline.abort('bad_request')
          throw error
        })
        deadline.extend(timeoutMs, 'core_timeout')
        if (done) return controller.close()
        const arrivedAt = performance.now()
        progress.receive(value.length, arrivedAt)
        progress.pause(arrivedAt)
        controller.enqueue(value)
      },
      cancel(reason) {
        isCancelled = true
        start?.release()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

// fetch's types require a plain ArrayBuffer, and buffered bodies always have one.
const asFetchBody = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>

const flattenHeaders = (headers: Headers) => [...headers].flat()

const hasNoBody = (method: string, status: number) =>
  method === 'HEAD' || status === 204 || status === 205 || status === 304

// fetch throws a TypeError for a GET or HEAD with a body, which would look like an unavailable core.
const hasForbiddenBody = ({ method, body }: CoreRequest) =>
  (method === 'GET' || method === 'HEAD') && body !== null && (body === 'stream' || body.length > 0)

// The runtime accepts some invalid responses: those with both a length and chunks (RFC 9112, section 6.1), with an
// unknown coding, or with control characters in headers (RFC 9110, section 5.5).
const isValidResponse = ({ status, headers }: Response) => {
  const coding = headers.get('transfer-encoding')
  if (status < 200 || status > 599 || !isKnownCoding(coding)) return false
  if (coding !== null && headers.has('content-length')) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it detects control characters
  return [...headers.values()].every((value) => !/[\0-\x08\x0a-\x1f\x7f]/.test(value))
}

/** Follows the Node transport's rules, except for what fetch does not expose (docs/decisions/0009). */
export const createFetchTransport = (options: FetchTransportOptions) => {
  const timeoutMs = options.timeoutMs ?? 30_000
  const bodyProgress = options.bodyProgress ?? defaultBodyProgressLimits
  const coreOrigin = parseCoreOrigin(options.coreBaseUrl)
  const breaker = options.breaker ?? createCircuitBreaker()
  const { viaPseudonym, publicBaseUrl = null } = options

  const selectBody = (request: Request, { body, bodyStart }: CoreRequest, deadline: Deadline) => {
    if (body !== 'stream') return body && asFetchBody(body)
    return request.body && limitProgress(request.body, bodyStart, deadline, bodyProgress, timeoutMs)
  }

  const sendRequest = (
    request: Request,
    coreRequest: CoreRequest,
    headers: readonly string[],
    deadline: Deadline,
  ) => {
    const { method, target } = coreRequest
    deadline.extend(timeoutMs, 'core_timeout')
    const body = selectBody(request, coreRequest, deadline)
    const sent = toHeaders(coreRequestHeaders(headers, coreRequest, { httpVersion: '1.1', viaPseudonym }))
    // The platform sets this header to its peer's address, which may be a proxy's. X-Forwarded-For has the client's
    // address.
    sent.delete('cf-connecting-ip')
    const init = { method, headers: sent, body, signal: deadline.signal }
    return fetch(coreOrigin + target, {
      ...init,
      redirect: 'manual',
      // Otherwise the platform may serve a stored response, even to another client.
      cache: 'no-store',
      ...(body && { duplex: 'half' }),
    })
  }

  const buildResponse = (core: Response, coreRequest: CoreRequest) => {
    const { status } = core
    const origins = { coreOrigins: [coreOrigin], publicBaseUrl } as const
    const headers = clientResponseHeaders(flattenHeaders(core.headers), status, coreRequest, origins)
    return new Response(hasNoBody(coreRequest.method, status) ? null : core.body, {
      status,
      headers: toHeaders(headers),
    })
  }

  return {
    async forward(request: Request, coreRequest: CoreRequest): Promise<Response | FetchForwardEnd> {
      const headers = flattenHeaders(request.headers)
      if (isForwardingLoop(headers, viaPseudonym)) return { kind: 'failed', code: 'loop_detected' }
      if (hasForbiddenBody(coreRequest)) return { kind: 'failed', code: 'bad_request' }
      const retryAfterS = breaker.admit(isSafe(coreRequest.method))
      if (retryAfterS !== null) return { kind: 'failed', code: 'core_unavailable', retryAfterS }
      const deadline = createDeadline(request.signal)
      try {
        const core = await sendRequest(request, coreRequest, headers, deadline)
        breaker.recordSuccess()
        return isValidResponse(core)
          ? buildResponse(core, coreRequest)
          : { kind: 'failed', code: 'core_bad_response' }
      } catch {
        const code = deadline.code()
        if (request.signal.aborted && (code === null || code === 'bad_request'))
          return { kind: 'client-gone' }
        if (code === null) breaker.recordFailure()
        return { kind: 'failed', code: code ?? 'core_unavailable' }
      } finally {
        deadline.clear()
      }
    },
    /**
     * Returns `up` only while the circuit breaker is closed. Half-open does not count, because the core has not been
     * reached since the breaker opened.
     */
    readCoreState: async () => coreStateOf(breaker),
    breakerState: () => breaker.state(),
  }
}

export type FetchTransport = ReturnType<typeof createFetchTransport>
