import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod'
import { createSandboxApp, serveOnLoopback } from '../listen.ts'
import { analyseAudio } from './analyse-audio.ts'

interface AnalyserOptions {
  readonly secret: string
  readonly port?: number
}

const SignedAnalysisRequest = z.object({
  dispatchId: z.string(),
  audioUrl: z.url(),
  contentType: z.string(),
  callbackUrl: z.url(),
})
type SignedAnalysisRequest = z.infer<typeof SignedAnalysisRequest>

const maxBodyBytes = 65_536
const toleranceS = 300

const createSignature = (secret: string, timestamp: string, body: Uint8Array) =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')

const isSigned = (secret: string, header: string | undefined, body: Uint8Array) => {
  const [, timestamp = '', signature = ''] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? []
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceS || signature === '') return false
  return timingSafeEqual(Buffer.from(signature), Buffer.from(createSignature(secret, timestamp, body)))
}

// Leaves out lyrics, stems and embeddings, which the sandbox cannot compute.
const createResult = ({ audioUrl, contentType }: SignedAnalysisRequest) =>
  analyseAudio(audioUrl, contentType).then(
    (tags) => ({ status: 'succeeded', results: { tags } }),
    () => ({ status: 'failed', error: { code: 'not_heard', message: 'The audio could not be decoded.' } }),
  )

const sendCallback = async (
  { callbackUrl, dispatchId }: SignedAnalysisRequest,
  secret: string,
  result: object,
) => {
  const body = Buffer.from(JSON.stringify({ callbackId: randomUUID(), dispatchId, ...result }))
  const timestamp = String(Math.floor(Date.now() / 1000))
  const response = await fetch(callbackUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'media-intelligence-signature': `t=${timestamp},v1=${createSignature(secret, timestamp, body)}`,
    },
    body,
  })
  await response.body?.cancel()
}

/** Starts an analysis service that accepts signed requests and sends the audio's tempo and key to the callback URL. */
export const startAnalyser = async ({ secret, port = 0 }: AnalyserOptions) => {
  const analyse = async (analysis: SignedAnalysisRequest) =>
    sendCallback(analysis, secret, await createResult(analysis))

  const app = createSandboxApp()
  app.use(bodyLimit({ maxSize: maxBodyBytes }))
  app.onError((_, { body }) => body(null, 400))
  app.all('*', async ({ req, body }) => {
    const bytes = new Uint8Array(await req.arrayBuffer())
    if (!isSigned(secret, req.header('media-intelligence-signature'), bytes)) return body(null, 401)
    const analysis = SignedAnalysisRequest.parse(await req.json())
    // A failed callback is not reported, so the requester times out.
    void analyse(analysis).catch(() => undefined)
    return body(null, 202)
  })
  return serveOnLoopback(app, port)
}

export type Analyser = Awaited<ReturnType<typeof startAnalyser>>
