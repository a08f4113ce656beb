import * as z from 'zod'
import type { CoreSettings } from './settings.ts'

interface Message {
  /** The idempotency key. The provider sends messages with the same id only once. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends a message through the email provider. Returns the provider's id for it, or null if sending failed. */
export type Mailer = (message: Message) => Promise<string | null>

const timeoutMs = 3000
const Accepted = z.object({ id: z.string() })

export const createMailer =
  ({ EMAIL_API_BASE: apiBase, EMAIL_API_KEY: apiKey, EMAIL_FROM: from }: CoreSettings): Mailer =>
  async ({ id, ...message }) => {
    if (apiBase === undefined) return null
    try {
      const response = await fetch(`${apiBase}/emails`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': id,
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ from, ...message }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      return Accepted.parse(await response.json()).id
    } catch {
      return null
    }
  }
