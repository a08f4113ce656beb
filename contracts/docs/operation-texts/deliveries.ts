import { exampleIds, exampleTime } from '../example-ids.ts'
import type { TextsOf } from './operation-text.ts'

export const webhookTexts: TextsOf<'webhooks'> = {
  'webhooks.billing': {
    summary: 'An event from the billing provider',
    description:
      'Sent to `POST /v1/webhooks/billing`. Updates the subscription of an account. A repeated delivery has no further effect.',
    success: 'The event was received. `status` says what became of it.',
    body: {
      id: 'evt_1QxT7b',
      type: 'customer.subscription.updated',
      created: 1793266200,
      data: {
        object: {
          id: 'sub_1QxT7a',
          customer: 'cus_R8w2',
          status: 'active',
          created: 1793266200,
          cancel_at_period_end: false,
          items: { data: [{ id: 'si_1QxT7c', price: { id: 'price_pro' } }] },
        },
      },
    },
  },
  'webhooks.links': {
    summary: 'An event from the link-tracking provider',
    description:
      'Sent to `POST /v1/webhooks/links`. Stores a click without its IP address, user agent or customer. A repeated delivery has no further effect.',
    success: 'The event was received. `status` says what became of it.',
    body: {
      id: 'evt_9f3k',
      event: 'link.clicked',
      createdAt: exampleTime,
      data: { link: { externalId: exampleIds.link }, click: { country: 'DE', device: 'Mobile', qr: false } },
    },
  },
  'webhooks.email': {
    summary: 'An event from the e-mail provider',
    description:
      'Sent to `POST /v1/webhooks/email`. Updates the delivery status of an invitation. A repeated delivery has no further effect.',
    success: 'The event was received. `deliveryUpdated` says whether it changed an invitation.',
    body: { type: 'email.delivered', created_at: exampleTime, data: { email_id: 're_4kT9' } },
  },
}

export const mediaIntelligenceTexts: TextsOf<'media-intelligence'> = {
  'media-intelligence.callback': {
    summary: 'The result of an analysis',
    description:
      'Sent to `POST /v1/media-intelligence/callback` by the analysis service. Tags and lyrics that a user has edited are not overwritten.',
    success: 'The result was received. `status` says whether it was applied.',
    body: {
      callbackId: 'cb_71d0',
      dispatchId: exampleIds.dispatch,
      status: 'succeeded',
      results: { tags: [{ category: 'mood', value: 'calm', confidence: 0.82 }] },
    },
  },
}

export const internalTexts: TextsOf<'internal'> = {
  'internal.media-dispatches.list': {
    summary: 'List dispatches to send',
    description: 'Returns the dispatches with the status `queued`, oldest first.',
    success: 'One page of dispatches.',
  },
}
