import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

export const analysisSecret = 'analysis-secret-of-the-tests'

interface Dispatched {
  readonly dispatchId: string
  readonly audioUrl: string
  readonly contentType: string
  readonly callbackUrl: string
}

export const signAnalysisCallback = (body: string, { secret = analysisSecret, at = Date.now() } = {}) => {
  const timestamp = Math.floor(at / 1000)
  return `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
}

/** It sends no callbacks. */
export const startAnalysisService = () => {
  const dispatches: Dispatched[] = []
  const files = new Map<string, Uint8Array>()
  const server = createServer(async (request, response) => {
    const file = files.get(request.url ?? '')
    if (file) return response.end(file)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    const timestamp = /^t=(\d+),/.exec(String(request.headers['media-intelligence-signature']))?.[1]
    const isSigned =
      request.headers['media-intelligence-signature'] ===
      signAnalysisCallback(body, { at: Number(timestamp) * 1000 })
    if (isSigned) dispatches.push(JSON.parse(body))
    response.writeHead(isSigned ? 202 : 401).end()
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    dispatches,
    url,
    serveFile: (path: string, bytes: Uint8Array) => {
      files.set(path, bytes)
      return url() + path
    },
    environment: () => ({ MEDIA_INTELLIGENCE_URL: url(), MEDIA_INTELLIGENCE_SECRET: analysisSecret }),
  }
}
