import { describe, expect, it } from 'vitest'
import { EmailEvent, LinkEvent } from '#contracts/shared/provider-events.ts'
import { billing } from '#contracts/webhooks.ts'
import { faultPaths } from './inputs.ts'

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

describe('a link event', () => {
  it('loses who clicked and where the link leads', () => {
    const read = LinkEvent.parse(clicked)
    expect(read.data).toEqual({
      link: { externalId: 'track_link:l1' },
      click: { country: 'DE', city: 'Köln', device: 'Mobile', referer: 'https://news.test/a?b', qr: true },
    })
    expect(JSON.stringify(read)).not.toMatch(/secret|203\.0|Browser|ann@/)
  })

  it('is worth keeping without a detail of another shape', () => {
    const odd = { ...clicked, data: { link: null, click: { country: 7, city: null, qr: 'yes' } } }
    expect(LinkEvent.parse(odd).data).toEqual({ link: null, click: { qr: false } })
    expect(LinkEvent.parse({ ...clicked, data: { externalId: 'pack_link:p1' } }).data).toEqual({
      externalId: 'pack_link:p1',
    })
  })

  it.each(['id', 'event', 'createdAt', 'data'])('is refused without %s', (field) => {
    expect(faultPaths(LinkEvent, { ...clicked, [field]: undefined })).toEqual([field])
  })
})

describe('a billing event', () => {
  it('keeps the whole of what it tells', () => {
    const event = {
      id: 'evt_1',
      type: 'invoice.paid',
      created: 1,
      data: { object: { id: 'in_1', lines: [] } },
    }
    expect(billing.body.parse(event)).toEqual(event)
    expect(faultPaths(billing.body, { data: {} })).toEqual(['id', 'type', 'created'])
  })
})

describe('an e-mail event', () => {
  it('is read for the e-mail it is about', () => {
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
    expect(faultPaths(EmailEvent, { ...event, data: { email_id: '' } })).toEqual(['data.email_id'])
  })
})
