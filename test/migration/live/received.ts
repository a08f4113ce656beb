import type { ReceivedRequest } from '#gateway/request/route-control.ts'

export const received: ReceivedRequest = {
  target: '/v1/tracks',
  headers: [],
  httpVersion: '1.1',
  client: {
    address: '127.0.0.1',
    protocol: 'http',
    host: 'api.example',
    forwardedFor: '127.0.0.1',
    forwarded: null,
    behindTrustedProxy: false,
  },
}
