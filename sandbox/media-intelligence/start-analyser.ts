import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import * as z from 'zod'
import { closeServer, listenOnLoopback } from '../listen.ts'
import { listen } from './listen.ts'

interface AnalyserOptions {
  readonly secret: string
  /** 0 or unset: the system chooses. */
  readonly port?: number
}

export interface Analyser {
  readonly url: string
  readonly close: () => Promise<void>
}

const Work = z.object({
  dispatchId: z.string(),
  audioUrl: z.url(),
  contentType: z.string(),
  callbackUrl: z.url(),
})
type Work = z.infer<typeof Work>

const largestRequest = 65_536
const toleranceS = 300

const signatureOf = (secret: string, moment: string, body: Uint8Array) =>
  createHmac('sha256', secret).update(`${moment}.`).update(body).digest('hex')

const isSigned = (secret: string, header: string | string[] | undefined, body: Uint8Array) => {
  const [, moment = '', signature = ''] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(String(header)) ?? []
  if (Math.abs(Date.now() / 1000 - Number(moment)) > toleranceS || signature === '') return false
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, moment, body)))
}

const readBody = async (request: IncomingMessage) => {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request) {
    parts.push(part)
    length += part.length
    if (length > largestRequest) throw new Error('too large')
  }
  return Buffer.concat(parts)
}

// It does not recognise words, separate stems or make embeddings, and says so by leaving them out.
const resultOf = ({ audioUrl, contentType }: Work) =>
  listen(audioUrl, contentType).then(
    (tags) => ({ status: 'succeeded', results: { tags } }),
    () => ({ status: 'failed', error: { code: 'not_heard', message: 'The audio could not be decoded.' } }),
  )

const callBack = async ({ callbackUrl, dispatchId }: Work, secret: string, result: object) => {
  const body = Buffer.from(JSON.stringify({ callbackId: randomUUID(), dispatchId, ...result }))
  const moment = String(Math.floor(Date.now() / 1000))
  const response = await fetch(callbackUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'media-intelligence-signature': `t=${moment},v1=${signatureOf(secret, moment, body)}`,
    },
    body,
  })
  await response.body?.cancel()
}

/** Starts an analysis service that takes work by a signed POST and calls back with the tempo and the key it hears. */
export const startAnalyser = async ({ secret, port = 0 }: AnalyserOptions): Promise<Analyser> => {
  const analyse = async (work: Work) => callBack(work, secret, await resultOf(work))

  const take = async (request: IncomingMessage) => {
    const body = await readBody(request)
    if (!isSigned(secret, request.headers['media-intelligence-signature'], body)) return 401
    const work = Work.parse(JSON.parse(body.toString()))
    // Whoever asked hears of it by the callback, or in time gives up.
    void analyse(work).catch(() => undefined)
    return 202
  }
  const server = createServer((request, response) => {
    take(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(400).end(),
    )
  })
  const url = await listenOnLoopback(server, port)
  return { url, close: () => closeServer(server) }
}
