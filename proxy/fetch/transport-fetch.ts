import { BodyProgress, type BodyProgressLimits, defaultBodyProgressLimits } from '../body-progress.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../circuit-breaker.ts'
import { parseCoreOrigin } from '../core-origin.ts'
import { clientResponseHeaders, coreRequestHeaders, isKnownCoding } from '../headers/header-rules.ts'
import { isForwardingLoop } from '../headers/via.ts'
import { type CoreFailure, type FailedForward, isSafe, type UpstreamRequest } from '../upstream-request.ts'

export interface FetchTransportOptions {
  /** Scheme and authority of the core, without a path: `https://core.example`. */
  readonly coreBaseUrl: string
  readonly viaPseudonym: string
  readonly timeoutMs?: number
  /** How slowly a client may send a body that is streamed. */
  readonly bodyProgress?: BodyProgressLimits
  readonly breaker?: CircuitBreaker
}

export interface FetchTransport {
  /** The core's answer under the rules of the proxy, or why there is none. */
  forward(request: Request, exchange: UpstreamRequest): Promise<Response | FailedForward>
  /** Whether the core could be reached when it was last asked: a half-open breaker has not heard since. */
  isReachable(): Promise<boolean>
}

/** Ends a fetch that waits too long, and knows afterwards that it was this and not the core. */
const openDeadline = (client: AbortSignal) => {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let code: CoreFailure | null = null
  return {
    signal: AbortSignal.any([client, controller.signal]),
    /** The code it failed with, once it has. */
    code: () => code,
    allow(milliseconds: number, failure: CoreFailure) {
      clearTimeout(timer)
      timer = setTimeout(() => {
        code = failure
        controller.abort()
      }, milliseconds)
    },
    met: () => clearTimeout(timer),
  }
}

type Deadline = ReturnType<typeof openDeadline>

// The core takes one piece after another. Until it asks for the next one, the client is not waited for: back-pressure
// does not make a client late.
const withProgress = (
  body: ReadableStream<Uint8Array>,
  deadline: Deadline,
  limits: BodyProgressLimits,
  timeoutMs: number,
) => {
  const reader = body.getReader()
  const progress = new BodyProgress(limits)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const now = performance.now()
        progress.resume(now)
        deadline.allow(Math.max(0, progress.deadline - now), 'request_timeout')
        const { done, value } = await reader.read()
        deadline.allow(timeoutMs, 'core_timeout')
        if (done) return controller.close()
        const arrivedAt = performance.now()
        progress.receive(value.length, arrivedAt)
        progress.pause(arrivedAt)
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

// Fetch types take bytes over a plain ArrayBuffer only, which is what a body that was read always lies in.
const asBody = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>

const flat = (headers: Headers) => [...headers].flat()

const hasNoBody = (method: string, status: number) =>
  method === 'HEAD' || status === 204 || status === 205 || status === 304

// fetch has no words for it, and its complaint would be taken for a core that cannot be reached.
const isUnsendable = ({ method, body }: UpstreamRequest) =>
  (method === 'GET' || method === 'HEAD') && body !== null && (body === 'stream' || body.length > 0)

// The runtime lets a few things through that have no place in an answer: a length beside chunks (RFC 9112, section
// 6.1), codings it does not know, and control characters (RFC 9110, section 5.5).
const isSoundAnswer = ({ status, headers }: Response) => {
  const coding = headers.get('transfer-encoding')
  if (status < 200 || status > 599 || !isKnownCoding(coding)) return false
  if (coding !== null && headers.has('content-length')) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return [...headers.values()].every((value) => !/[\0-\x08\x0a-\x1f\x7f]/.test(value))
}

const toHeaders = (list: readonly string[]) => {
  const headers = new Headers()
  for (let at = 0; at < list.length; at += 2) headers.append(list[at] ?? '', list[at + 1] ?? '')
  return headers
}

/**
 * The way to the core where there is only fetch (Workers). The rules are those of the Node transport; what the
 * platform keeps to itself is out of reach, and listed in the decision on what a Worker cannot do.
 */
export const createFetchTransport = (options: FetchTransportOptions): FetchTransport => {
  const timeoutMs = options.timeoutMs ?? 30_000
  const bodyProgress = options.bodyProgress ?? defaultBodyProgressLimits
  const coreOrigin = parseCoreOrigin(options.coreBaseUrl)
  const breaker = options.breaker ?? createCircuitBreaker()
  const { viaPseudonym } = options

  const bodyOf = (request: Request, { body }: UpstreamRequest, deadline: Deadline) => {
    if (body !== 'stream') return body && asBody(body)
    return request.body && withProgress(request.body, deadline, bodyProgress, timeoutMs)
  }

  const ask = (
    request: Request,
    exchange: UpstreamRequest,
    headers: readonly string[],
    deadline: Deadline,
  ) => {
    const { client, requestId, method, target } = exchange
    const hop = { method, client, requestId, httpVersion: '1.1', viaPseudonym }
    deadline.allow(timeoutMs, 'core_timeout')
    const body = bodyOf(request, exchange, deadline)
    const init = {
      method,
      headers: toHeaders(coreRequestHeaders(headers, hop)),
      body,
      signal: deadline.signal,
    }
    return fetch(coreOrigin + target, { ...init, redirect: 'manual', ...(body && { duplex: 'half' }) })
  }

  const answer = (
    core: Response,
    { method, responseHeaders: stamp, client, replacesCors, replacedHeaders }: UpstreamRequest,
  ) => {
    const { status } = core
    const hop = { status, stamp, coreOrigin, client, replacesCors, replacedHeaders }
    const headers = toHeaders(clientResponseHeaders(flat(core.headers), hop))
    return new Response(hasNoBody(method, status) ? null : core.body, { status, headers })
  }

  return {
    async forward(request, exchange) {
      const headers = flat(request.headers)
      if (isForwardingLoop(headers, viaPseudonym)) return { kind: 'failed', code: 'loop_detected' }
      if (isUnsendable(exchange)) return { kind: 'failed', code: 'bad_request' }
      const retryAfterS = breaker.admit(isSafe(exchange.method))
      if (retryAfterS !== null) return { kind: 'failed', code: 'core_unavailable', retryAfterS }
      const deadline = openDeadline(request.signal)
      try {
        const core = await ask(request, exchange, headers, deadline)
        breaker.recordSuccess()
        return isSoundAnswer(core) ? answer(core, exchange) : { kind: 'failed', code: 'core_bad_response' }
      } catch {
        const code = deadline.code() ?? 'core_unavailable'
        if (code === 'core_unavailable' && !request.signal.aborted) breaker.recordFailure()
        return { kind: 'failed', code }
      } finally {
        deadline.met()
      }
    },
    isReachable: async () => breaker.state() === 'closed',
  }
}
