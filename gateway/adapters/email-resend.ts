import * as z from 'zod'
import { referenceTag } from '#contracts/shared/provider-events.ts'
import type { EmailOutcome, EmailPort } from '#jobs/ports.ts'

export interface ResendOptions {
  readonly apiKey: string
  /** Default: the public API. */
  readonly apiBase: string | undefined
  readonly from: string
}

/** An error response that may be temporary. Contains only its status, because its text may repeat the address. */
class EmailProviderError extends Error {
  override name = 'EmailProviderError'
  constructor(status: number) {
    super(`the e-mail provider returned status ${status}`)
  }
}

const timeoutMs = 10_000

// An operator can correct a key or a sender's domain (401, 403); the others depend on the time of the request.
const retriedStatuses: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429])

const Accepted = z.object({ id: z.string().min(1).max(255) })
const Rejected = z.object({ name: z.string().regex(/^[a-z_]{1,64}$/) })

const readRejection = async (response: Response): Promise<EmailOutcome> => {
  const { status } = response
  const reason = Rejected.safeParse(await response.json().catch(() => null)).data?.name ?? null
  // The id was used with another content, such as another sender: that e-mail was accepted.
  if (status === 409 && reason === 'invalid_idempotent_request') return { kind: 'accepted-before' }
  if (status < 400 || status >= 500 || retriedStatuses.has(status)) throw new EmailProviderError(status)
  return { kind: 'rejected', status, reason }
}

/** Sends e-mails through Resend's API. The id of an e-mail is its idempotency key and its reference. */
export const createResendEmail = ({
  apiKey,
  apiBase = 'https://api.resend.com',
  from,
}: ResendOptions): EmailPort => ({
  async send({ id, ...message }, signal) {
    const response = await fetch(`${apiBase.replace(/\/+$/, '')}/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': id,
        // Resend rejects requests without one.
        'user-agent': 'crossfade',
      },
      body: JSON.stringify({ from, ...message, tags: [{ name: referenceTag, value: id }] }),
      // Following a redirect would send the API key to another host; a redirect throws instead.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (!response.ok) return readRejection(response)
    return { kind: 'accepted', providerEmailId: Accepted.parse(await response.json()).id }
  },
})
