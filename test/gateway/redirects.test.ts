import { describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '#test/support/gateway.ts'
import { get, sendRaw } from '#test/support/raw-client.ts'
import { bytes } from '#test/support/raw-core.ts'
import { startTestWorker } from '#test/support/worker.ts'

const withoutBase = startTestGateway({
  control: 'fixed',
  core: 'recording',
  environment: { TRUSTED_PROXIES: '127.0.0.1' },
})
const withBase = startTestGateway({
  control: 'fixed',
  core: 'recording',
  environment: { PUBLIC_BASE_URL: 'https://api.example/base/' },
})
const withInternationalBase = startTestGateway({
  control: 'fixed',
  core: 'recording',
  environment: { PUBLIC_BASE_URL: 'https://例え.example' },
})
const workerWithBase = startTestWorker(withBase)

interface Entry {
  readonly name: string
  readonly gateway: TestGateway
  readonly origin: () => string
  readonly expected: string
}

const entries: readonly Entry[] = [
  {
    name: 'Node with an international PUBLIC_BASE_URL',
    gateway: withInternationalBase,
    origin: () => withInternationalBase.url,
    expected: 'https://xn--r8jz45g.example/v1/there?a#b',
  },
  { name: 'Node', gateway: withoutBase, origin: () => withoutBase.url, expected: '/v1/there?a#b' },
  {
    name: 'Node with PUBLIC_BASE_URL',
    gateway: withBase,
    origin: () => withBase.url,
    expected: 'https://api.example/base/v1/there?a#b',
  },
  {
    name: 'Workers with PUBLIC_BASE_URL',
    gateway: withBase,
    origin: workerWithBase.origin,
    expected: 'https://api.example/base/v1/there?a#b',
  },
]

describe.each(entries)('a core redirect to its own origin, on $name', ({ gateway, origin, expected }) => {
  it.each([
    ['its Host', ['Host: evil.example']],
    ['X-Forwarded-Host', ['Host: a', 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https']],
  ])('does not use the host that the client sends in %s', async (_, headers) => {
    const location = `${gateway.core.url}/v1/there?a#b`
    gateway.core.nextReplies.push(
      bytes(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
    )
    const message = get('/v1/tracks', ...headers).replace('Host: api.example\r\n', '')
    const response = await sendRaw(Number(new URL(origin()).port), message)
    expect([response.status, response.header('location')]).toEqual([302, expected])
  })
})
