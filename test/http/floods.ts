import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from '#test/support/raw-client.ts'

interface Flood {
  /** The requests that each connection sends at once, and again after all of them have been answered. */
  readonly message: string
  readonly isRead: boolean
}

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

const tokenOfUnknownKey = [
  encode({ alg: 'RS256', typ: 'JWT', kid: 'unknown' }),
  encode({ iss: 'https://issuer.example', sub: 'acct_flood', exp: 4_000_000_000 }),
  Buffer.alloc(256, 1).toString('base64url'),
].join('.')

const withToken = (token: string) => get('/v1/libraries', `Authorization: Bearer ${token}`)
const head = (path: string) => get(path).replace('GET', 'HEAD')

/** What one client without credentials sends on each of its connections. */
export const floods = {
  'GET of the largest page, unread': { message: get('/docs/reader.js'), isRead: false },
  'five pipelined GET of the largest page, unread': {
    message: get('/docs/reader.js').repeat(5),
    isRead: false,
  },
  'five pipelined GET of the API description, unread': {
    message: get('/openapi.json').repeat(5),
    isRead: false,
  },
  '100 pipelined GET of a probe': { message: get('/healthz').repeat(100), isRead: true },
  '1,000 pipelined GET of a probe, unread': { message: get('/healthz').repeat(1000), isRead: false },
  '100 pipelined HEAD of the largest page': { message: head('/docs/reader.js').repeat(100), isRead: true },
  '100 pipelined GET with a malformed token': { message: withToken('none').repeat(100), isRead: true },
  '100 pipelined GET with a token of an unknown key': {
    message: withToken(tokenOfUnknownKey).repeat(100),
    isRead: true,
  },
} as const satisfies Readonly<Record<string, Flood>>

export type FloodName = keyof typeof floods

export interface FloodOptions {
  readonly flood: FloodName
  readonly port: number
  readonly connections: number
  readonly localAddress: string
}

export const startFlood = async (options: FloodOptions) => {
  const child = fork(new URL(import.meta.resolve('./flood-client.ts')), [JSON.stringify(options)], {
    execArgv: [],
  })
  const exited = once(child, 'exit')
  await Promise.race([once(child, 'message'), exited])
  return {
    async stop(): Promise<number> {
      const counted = once(child, 'message')
      child.send('stop')
      const [{ responses }] = await counted
      await exited
      return responses
    },
  }
}
