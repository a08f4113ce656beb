import { html } from 'hono/html'
import * as z from 'zod'

// A cookie holds at most 4,096 bytes, and base64 adds a third.
const maxLines = 8
const maxLineLength = 300

const Notice = z.object({ title: z.string(), lines: z.array(z.string()), kind: z.enum(['good', 'warn']) })

export type Notice = z.infer<typeof Notice>

export const createNotice = (kind: Notice['kind'], title: string, lines: readonly string[]): Notice => ({
  kind,
  title,
  lines: lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength)),
})

export const parseNotice = (text: string): Notice | null => Notice.safeParse(JSON.parse(text)).data ?? null

export const renderNotice = ({ kind, title, lines }: Notice) =>
  html`<div class="notice ${kind}" role="status"><p><strong>${title}</strong></p>${lines.map((line) => html`<p>${line}</p>`)}</div>`
