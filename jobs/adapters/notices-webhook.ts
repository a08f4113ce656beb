import type { OperatorNotice } from '#db/queries/jobs/jobs.ts'
import { fetchTraced } from '#shared/fetch-traced.ts'
import { decodeWebhookSecret, signHmac } from '#shared/hmac-sha256.ts'
import type { NoticePort } from '../ports.ts'

interface NoticeReceiver {
  readonly url: string
  /**
   * Standard Webhooks secrets. Each notice is signed with all of them, because the receiver may have the old or the new
   * one.
   */
  readonly secrets: readonly string[]
  readonly format: 'json' | 'slack'
}

const timeoutMs = 10_000

// Slack treats these three characters as markup.
const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const formatNotice = ({ type, at, summary, details }: OperatorNotice, format: NoticeReceiver['format']) =>
  format === 'slack'
    ? { text: escapeSlack(`Crossfade: ${summary}`) }
    : { type, timestamp: at, data: { summary, ...details } }

const signNotice = (id: string, body: string, secrets: readonly string[]) => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signatures = secrets.map(
    (secret) =>
      `v1,${signHmac(decodeWebhookSecret(secret), `${id}.${timestamp}.${body}`).toString('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}

export const createNoticeWebhook = (receiver: NoticeReceiver): NoticePort => ({
  async send(notice, signal) {
    const { url, secrets, format } = receiver
    const body = JSON.stringify(formatNotice(notice, format))
    const response = await fetchTraced('notice receiver', url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signNotice(notice.id, body, secrets) },
      body,
      // Following a redirect could send the notice to a different host.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the notice webhook returned status ${response.status}`)
  },
})
