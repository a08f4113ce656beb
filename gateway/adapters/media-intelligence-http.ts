import type { AnalysisPort } from '#jobs/ports.ts'

export interface AnalysisService {
  readonly url: string
  /** Signs the requests to the service and its callbacks. */
  readonly secret: string
  readonly callbackUrl: string
}

const timeoutMs = 10_000

const signatureOf = async (body: Uint8Array<ArrayBuffer>, secret: string, now: number) => {
  const encoder = new TextEncoder()
  const moment = String(Math.floor(now / 1000))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  const signed = new Uint8Array([...encoder.encode(`${moment}.`), ...body])
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `t=${moment},v1=${hex}`
}

/** Dispatches an analysis with one signed POST; any 2xx status means that the service will call back. */
export const createAnalysisService = ({ url, secret, callbackUrl }: AnalysisService): AnalysisPort => ({
  async dispatch(request) {
    const body = new TextEncoder().encode(JSON.stringify({ ...request, callbackUrl }))
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'media-intelligence-signature': await signatureOf(body, secret, Date.now()),
      },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the analysis service returned status ${response.status}`)
  },
})
