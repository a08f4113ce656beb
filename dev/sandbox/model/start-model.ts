import { pipeline } from 'node:stream/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createSandboxApp, serveOnLoopback } from '../listen.ts'
import { ChatRequest, type Respond } from './chat-request.ts'
import { createChunks, createCompletion } from './completion.ts'
import { createFaultyChunks, type Fault, faultStatuses } from './faults.ts'
import { respond } from './respond.ts'

interface ModelOptions {
  readonly apiKey: string
  readonly port?: number
}

/** The provider uses this format for every error. */
const formatError = (type: string) => ({ error: { type, message: `The request failed: ${type}.` } })

/**
 * Starts a server for the chat completions protocol, with tools, streaming and token usage. It runs no real model: the
 * same request always gets the same response.
 */
export const startModel = async ({ apiKey, port = 0 }: ModelOptions) => {
  const requests: ChatRequest[] = []
  const received: string[] = []
  let fault: Fault | null = null
  let current: Respond = respond
  let aborted = 0

  async function* createEvents(request: ChatRequest) {
    let isComplete = false
    try {
      if (fault === null) yield* createChunks(request, current(request))
      else yield* createFaultyChunks(fault, request)
      isComplete = true
    } finally {
      if (!isComplete) aborted += 1
    }
  }

  const app = createSandboxApp()
  app.onError((_, { json }) => json(formatError('invalid_request_error'), 400))
  app.post('/v1/chat/completions', async ({ req, json, env: { outgoing } }) => {
    if (req.header('authorization') !== `Bearer ${apiKey}`)
      return json(formatError('authentication_error'), 401)
    const body = await req.json()
    received.push(JSON.stringify(body))
    const request = ChatRequest.parse(body)
    requests.push(request)
    const status = fault && faultStatuses[fault]
    if (status) return json(formatError(fault ?? ''), status, { 'retry-after': '60' })
    if (!request.stream) return json(createCompletion(request, current(request)))
    outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    pipeline(createEvents(request), outgoing).catch(() => undefined)
    return RESPONSE_ALREADY_SENT
  })
  const { url, close } = await serveOnLoopback(app, port)
  return {
    /** Base URL of the API, without `/chat/completions`. */
    url: `${url}/v1`,
    requests: requests as readonly ChatRequest[],
    /** The requests' bodies, including parts that the sandbox does not read. */
    received: received as readonly string[],
    countAborted: () => aborted,
    setFault: (next: Fault | null) => {
      fault = next
    },
    setRespond: (next: Respond) => {
      current = next
    },
    close,
  }
}

export type SandboxModel = Awaited<ReturnType<typeof startModel>>
