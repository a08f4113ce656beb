import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createClient } from '#client/create-client.ts'

interface ReceivedRequest {
  readonly method: string
  /** The path, including the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Responds to one request, or fails to. */
export type Step = (response: ServerResponse, request: ReceivedRequest) => void

export const respond =
  (status: number, body: object | string | null = {}, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) => {
    const json = typeof body === 'string' ? { error: body, message: `The message of ${body}.` } : body
    response.writeHead(status, { 'x-request-id': 'request-1', ...headers })
    response.end(json === null ? '' : JSON.stringify(json))
  }

/** Text that is not JSON, such as a load balancer's page. */
export const respondWithText =
  (status: number, text: string): Step =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(text)

export const disconnect: Step = (response) => response.destroy()

/** Ends the connection in the middle of a response body. */
export const breakOff: Step = (response) => {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"records":', () => response.destroy())
}

/** Sends no response, so that the client has to abort the request. */
export const hang: Step = () => {}

/** Starts a server for a test file. It takes one step for each request, and repeats the last step. */
export const startScriptedServer = () => {
  let steps: readonly Step[] = []
  let taken = 0
  let requests: ReceivedRequest[] = []
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    let body = ''
    // The client may abort an upload.
    try {
      for await (const chunk of incoming) body += chunk
    } catch {
      return
    }
    const request = { method, path: url, headers, body }
    requests.push(request)
    steps[Math.min(taken++, steps.length - 1)]?.(response, request)
  })
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  beforeEach(() => {
    steps = []
    requests = []
  })

  return {
    url,
    requests: (): readonly ReceivedRequest[] => requests,
    script(...next: readonly Step[]) {
      steps = next
      taken = 0
    },
    /** A client with a token and only short pauses between attempts. */
    createClient: (options: Partial<Parameters<typeof createClient>[0]> = {}) =>
      createClient({ baseUrl: url(), getToken: () => 'token-1', retryDelayMs: 2, ...options }),
  }
}
