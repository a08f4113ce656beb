import * as z from 'zod'

interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends a message through the e-mail provider; returns its id at the provider, or null when sending failed. */
export type Mailer = (message: Message) => Promise<string | null>

const timeoutMs = 3000
const Accepted = z.object({ id: z.string() })

/** Creates a mailer; without an `apiBase` it sends nothing and returns null. */
export const createMailer =
  (apiBase: string | null): Mailer =>
  async (message) => {
    if (apiBase === null) return null
    try {
      const response = await fetch(`${apiBase}/emails`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(timeoutMs),
      })
      return Accepted.parse(await response.json()).id
    } catch {
      return null
    }
  }
