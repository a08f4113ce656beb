import type { AskRequest } from '#proxy/core-response.ts'
import type { Reply } from '#test/support/raw-core.ts'
import { startCoreAndGateway } from './forwarding-gateway.ts'

const client = {
  address: '192.0.2.7',
  protocol: 'https',
  host: 'api.example',
  forwardedFor: '192.0.2.7',
  forwarded: null,
  behindTrustedProxy: false,
} as const

export const askRequest = (changes: Partial<AskRequest> = {}): AskRequest => ({
  target: '/v1/tracks?limit=2',
  headers: [],
  httpVersion: '1.1',
  client,
  requestId: 'req_ask',
  isShadow: false,
  connectionTimeoutMs: 3000,
  timeoutMs: 5000,
  ...changes,
})

export const startAsking = async (reply?: Reply, options?: Parameters<typeof startCoreAndGateway>[1]) => {
  const started = await startCoreAndGateway(reply, options)
  const { transport } = started.gateway
  return { ...started, transport, ask: (changes?: Partial<AskRequest>) => transport.ask(askRequest(changes)) }
}
