import { recordedResponse } from '../responses.ts'
import {
  createResponsePairs,
  id,
  identicalRepeat,
  removeField,
  replaceResponse,
  reverse,
  setField,
  timestampAt,
  token,
} from './pairs.ts'

const billing = {
  customerConfigured: true,
  planId: 'pro',
  status: 'active',
  billingCustomerId: 'cus_1',
  availablePlanIds: ['pro', 'studio'],
  cancelAtPeriodEnd: false,
  currentPeriodEnd: timestampAt(1),
}

export const linkAndBillingPairs = [
  ...createResponsePairs(
    'tracks.share-links.create',
    recordedResponse(201, {
      id: id(1),
      trackId: id(2),
      name: null,
      status: 'active',
      tokenPreview: 'AAAA',
      expiresAt: null,
      revokedAt: null,
      createdAt: timestampAt(1),
      updatedAt: timestampAt(1),
      token: token('A'),
      sharePath: `/share/tracks/${token('A')}`,
    }),
    [
      [
        'has a different generated token',
        {
          native: [
            setField('token', token('B')),
            setField('tokenPreview', 'BBBB'),
            setField('sharePath', `/share/tracks/${token('B')}`),
          ],
        },
      ],
      [
        'has a short token',
        { native: setField('token', 'short') },
        'format body.token regression native',
        // Neither the preview nor the share path belongs to this token.
        'value body.token regression native',
      ],
      [
        'has a short token at the core',
        { core: setField('token', 'short') },
        'format body.token not_comparable core',
        'value body.token not_comparable core',
      ],
      [
        'has a share path of a different kind',
        { native: setField('sharePath', `/share/packs/${token('A')}`) },
        'format body.sharePath regression native',
      ],
      [
        'leaks the token hash',
        { native: setField('tokenHash', 'f'.repeat(64)) },
        'extra body.? critical native',
      ],
      ['lacks the token', { native: removeField('token') }, 'missing body.token regression native'],
      [
        'leaks the link of the provider',
        { native: setField('providerLinkId', 'lnk_1') },
        'extra body.? critical native',
      ],
    ],
  ),
  ...createResponsePairs('tracks.split-sheet.share-links.list', recordedResponse(200, { records: [] }), [
    ['is empty on both sides', {}],
    [
      'is empty, but the core has links',
      {
        core: setField('records', [
          {
            id: id(1),
            trackId: id(2),
            name: null,
            status: 'active',
            tokenPreview: 'AAAA',
            createdAt: timestampAt(1),
            updatedAt: timestampAt(1),
          },
        ]),
      },
      'length body.records accepted unknown',
    ],
    [
      'has a link, but the core has none',
      {
        native: setField('records', [
          {
            id: id(1),
            trackId: id(2),
            name: null,
            status: 'active',
            tokenPreview: 'AAAA',
            createdAt: timestampAt(1),
            updatedAt: timestampAt(1),
          },
        ]),
      },
      'length body.records regression unknown',
    ],
  ]),
  ...createResponsePairs('billing.status', recordedResponse(200, billing), [
    ['is equal', {}],
    [
      'has available plans in a different order',
      { native: reverse('availablePlanIds') },
      'order body.availablePlanIds regression unknown',
    ],
    [
      'lacks an available plan',
      { native: setField('availablePlanIds', ['pro']) },
      'length body.availablePlanIds regression unknown',
    ],
    [
      'lacks the customer',
      { native: removeField('billingCustomerId') },
      'missing body.billingCustomerId regression unknown',
    ],
    [
      'has an additional subscription id',
      { native: setField('billingSubscriptionId', 'sub_1') },
      'extra body.billingSubscriptionId regression unknown',
    ],
    [
      'has null as the subscription id',
      { native: setField('billingSubscriptionId', null) },
      'extra body.billingSubscriptionId regression native',
    ],
    [
      'has an unknown status',
      { native: setField('status', 'paused') },
      'value body.status regression native',
    ],
  ]),
  ...createResponsePairs('billing.change-plan', recordedResponse(200, { mode: 'switched', planId: 'pro' }), [
    ['is equal', {}],
    [
      'returns a checkout',
      {
        native: replaceResponse(200, {
          mode: 'checkout',
          sessionId: 'cs_1',
          url: 'https://pay.example.com/c/1',
        }),
      },
      'value body.mode regression unknown',
      'missing body.planId regression unknown',
      'extra body.? accepted native',
    ],
    ['has an unknown mode', { native: setField('mode', 'upgraded') }, 'value body.mode regression native'],
    [
      'switches to another plan',
      { native: setField('planId', 'studio'), noise: identicalRepeat },
      'value body.planId regression native',
    ],
  ]),
]
