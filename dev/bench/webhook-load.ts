import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import { signEvent } from '../sandbox/billing/events.ts'

export const billingSecret = 'whsec_of_the_bench'
export const linksSecret = 'links-secret-of-the-bench'
export const emailSecret = `whsec_${Buffer.from('email-secret-of-the-bench').toString('base64')}`

export interface BenchDelivery {
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const json = { 'content-type': 'application/json' }

export const billingDelivery = (id: string, type: string, object: object): BenchDelivery => {
  const body = JSON.stringify({ id, type, created: Math.floor(Date.now() / 1000), data: { object } })
  return {
    path: '/v1/webhooks/billing',
    body,
    headers: { ...json, ...signEvent(billingSecret, { id, type, body }) },
  }
}

export const linkDelivery = (event: object): BenchDelivery => {
  const body = JSON.stringify(event)
  const signature = createHmac('sha256', linksSecret).update(body).digest('hex')
  return { path: '/v1/webhooks/links', body, headers: { ...json, 'link-signature': signature } }
}

export const emailDelivery = (id: string, event: object): BenchDelivery => {
  const body = JSON.stringify(event)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(emailSecret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  return { path: '/v1/webhooks/email', body, headers: { ...json, ...headers } }
}

const post = (origin: string, agent: Agent, { path, body, headers }: BenchDelivery) =>
  new Promise<string>((resolve, reject) => {
    const sent = request(origin + path, { method: 'POST', agent, headers }, async (response) => {
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(`a delivery returned ${response.statusCode}: ${text}`))
    })
    sent.once('error', reject).end(body)
  })

/** Creates and delivers new events over a number of connections. */
export const deliverEvents = async (
  origin: string,
  { events, connections, make }: { events: number; connections: number; make: () => BenchDelivery },
  expected: string,
) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let left = events
  const deliver = async () => {
    for (; left > 0; ) {
      left -= 1
      const response = await post(origin, agent, make())
      if (!response.includes(expected)) throw new Error(`unexpected response to a delivery: ${response}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, deliver))
  } finally {
    agent.destroy()
  }
}
