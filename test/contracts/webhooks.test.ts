import { describe, expect, it } from 'vitest'
import { EmailEvent, LinkEvent } from '#contracts/shared/provider-events.ts'
import { billing } from '#contracts/webhooks.ts'
import { issuePaths } from './inputs.ts'

const clicked = {
  id: 'evt_1',
  event: 'link.clicked',
  createdAt: '2026-03-01T12:00:00.000Z',
  data: {
    link: {
      id: 'link_1',
      externalId: 'track_link:l1',
      url: 'https://app.test/share/tracks/secret',
      key: 'k',
    },
    click: {
      country: 'DE',
      city: 'Köln\u0000',
      device: 'Mobile',
      referer: 'https://news.test/a?b',
      qr: true,
      ip: '203.0.113.7',
      ua: 'Browser/1',
      url: 'https://app.test/share/tracks/secret',
      browser: 'Browser',
    },
    customer: { email: 'ann@example.test' },
  },
}

describe('LinkEvent', () => {
  it("removes the link's destination and everything that identifies the visitor", () => {
    const parsed = LinkEvent.parse(clicked)
    expect(parsed.data).toEqual({
      link: { externalId: 'track_link:l1' },
      click: { country: 'DE', city: 'Köln', device: 'Mobile', referer: 'https://news.test/a?b', qr: true },
    })
    expect(JSON.stringify(parsed)).not.toMatch(/secret|203\.0|Browser|ann@/)
  })

  it('drops details with an unexpected shape and accepts the rest', () => {
    const malformed = { ...clicked, data: { link: null, click: { country: 7, city: null, qr: 'yes' } } }
    expect(LinkEvent.parse(malformed).data).toEqual({ link: null, click: { qr: false } })
    expect(LinkEvent.parse({ ...clicked, data: { externalId: 'pack_link:p1' } }).data).toEqual({
      externalId: 'pack_link:p1',
    })
  })

  it.each(['id', 'event', 'createdAt', 'data'])('rejects an event without %s', (field) => {
    expect(issuePaths(LinkEvent, { ...clicked, [field]: undefined })).toEqual([field])
  })
})

describe('webhooks.billing', () => {
  it('preserves every field of the event', () => {
    const event = {
      id: 'evt_1',
      type: 'invoice.paid',
      created: 1,
      data: { object: { id: 'in_1', lines: [] } },
    }
    expect(billing.body.parse(event)).toEqual(event)
    expect(issuePaths(billing.body, { data: {} })).toEqual(['id', 'type', 'created'])
  })
})

describe('EmailEvent', () => {
  it("contains only the event's type and time and the e-mail's id", () => {
    const event = {
      type: 'email.opened',
      created_at: '2026-03-01T12:00:00Z',
      data: { email_id: 'e1', to: ['a@b.test'] },
    }
    expect(EmailEvent.parse(event)).toEqual({
      type: 'email.opened',
      created_at: '2026-03-01T12:00:00.000Z',
      data: { email_id: 'e1' },
    })
    expect(issuePaths(EmailEvent, { ...event, data: { email_id: '' } })).toEqual(['data.email_id'])
  })
})
