import { recordedResponse } from '../responses.ts'
import {
  createResponsePairs,
  identicalRepeat,
  noiseAt,
  removeField,
  replaceResponse,
  reverse,
  setField,
  setHeader,
  setText,
} from './pairs.ts'

const issue = (path: string, message = 'is wrong') => ({ path, message })

const limits = {
  error: 'entitlement_required',
  code: 'entitlement_required',
  feature: 'tracks.share',
  current: 3,
  limit: 3,
  planId: 'free',
  status: 'free',
  upgradeRequired: true,
}

export const invalidRequestPairs = [
  ...createResponsePairs(
    'libraries.create',
    recordedResponse(400, { error: 'validation_error', issues: [issue('name'), issue('description')] }),
    [
      ['is equal', {}],
      [
        'has the accepted error code of the core',
        { core: setField('error', 'validation_failed') },
        'value body.error accepted core',
      ],
      [
        'has the error code of the core in native',
        { native: setField('error', 'validation_failed') },
        'value body.error regression native',
      ],
      [
        'has an unknown error code at the core',
        { core: setField('error', 'bad_input') },
        'value body.error not_comparable core',
      ],
      ['has a different message', { native: setField('issues.0.message', 'must not be empty') }],
      ['has issues in a different order', { native: reverse('issues') }],
      [
        'has a second issue for the same field',
        { native: setField('issues', [issue('name'), issue('description'), issue('name', 'is long')]) },
        'extra body.issues.* regression unknown',
      ],
      [
        'lacks an issue',
        { native: setField('issues', [issue('name')]) },
        'missing body.issues.* regression unknown',
      ],
      [
        'has an issue of another field',
        { native: setField('issues.1.path', 'colour') },
        'value body.issues.*.path regression unknown',
      ],
      [
        'has an issue without a path',
        { native: removeField('issues.0.path') },
        'missing body.issues.*.path regression native',
      ],
      ['lacks the issues', { native: removeField('issues') }, 'missing body.issues regression native'],
      ['lacks the issues at the core', { core: removeField('issues') }, 'extra body.issues accepted core'],
      [
        'returns invalid_json',
        { native: replaceResponse(400, { error: 'invalid_json', message: 'unexpected token' }) },
        'value body.error regression unknown',
        'missing body.? regression core',
        'extra body.message accepted unknown',
      ],
      [
        'accepts the body',
        {
          native: replaceResponse(201, {
            id: 'l1',
            name: 'x',
            description: null,
            createdAt: '2026-11-20T10:00:00.000Z',
            updatedAt: '2026-11-20T10:00:00.000Z',
          }),
        },
        'status status regression unknown',
      ],
      [
        'has status 422',
        { native: replaceResponse(422, { error: 'validation_error', issues: [issue('name')] }) },
        'status status regression native',
      ],
      [
        'has status 422 at the core',
        { core: replaceResponse(422, { error: 'validation_error', issues: [issue('name')] }) },
        'status status not_comparable core',
      ],
      [
        'is plain text',
        { native: [setText('bad'), setHeader('content-type', 'text/plain')] },
        'header headers.content-type regression unknown',
        'type body regression native',
      ],
    ],
  ),
  ...createResponsePairs(
    'libraries.create',
    recordedResponse(400, { error: 'invalid_json', message: 'Unexpected end' }),
    [
      ['has a different parser message', { native: setField('message', 'The body is not JSON.') }],
      [
        'lacks the parser message',
        { native: removeField('message') },
        'missing body.message regression native',
      ],
    ],
  ),
  ...createResponsePairs(
    'libraries.list',
    recordedResponse(401, { error: 'unauthorized' }, { 'www-authenticate': 'Bearer' }),
    [
      ['is equal', {}],
      ['has a more detailed challenge', { native: setHeader('www-authenticate', 'Bearer realm="api"') }],
      [
        'has no challenge',
        { native: setHeader('www-authenticate') },
        'header headers.www-authenticate regression unknown',
      ],
      [
        'has a challenge that the core lacks',
        { core: setHeader('www-authenticate') },
        'header headers.www-authenticate accepted unknown',
      ],
      [
        'has no challenge where the core differs from itself',
        { native: setHeader('www-authenticate'), noise: noiseAt('header headers.www-authenticate') },
        'header headers.www-authenticate regression native',
      ],
      ['has an additional field', { native: setField('reason', 'expired') }, 'extra body.? accepted native'],
      [
        'has a different error code where the core differs from itself',
        { native: setField('error', 'forbidden'), noise: noiseAt('value body.error') },
        'value body.error regression native',
      ],
      [
        'has status 200',
        { native: replaceResponse(200, { records: [] }) },
        'status status regression unknown',
      ],
      [
        'has status 200 although the core is deterministic',
        { native: replaceResponse(200, { records: [] }), noise: identicalRepeat },
        'status status regression native',
      ],
      [
        'has status 403',
        { native: replaceResponse(403, { error: 'forbidden' }) },
        'status status regression unknown',
      ],
    ],
  ),
  ...createResponsePairs('tracks.share-links.create', recordedResponse(403, limits), [
    ['is equal', {}],
    ['has a different limit', { native: setField('limit', 5) }, 'value body.limit regression unknown'],
    [
      'has a different count where the core differs from itself',
      { native: setField('current', 2), noise: noiseAt('value body.current') },
      'value body.current regression core',
    ],
    ['has null as the limit', { native: setField('limit', null) }, 'type body.limit regression unknown'],
    ['lacks the limit', { native: removeField('limit') }, 'missing body.limit regression native'],
    ['lacks the limit at the core', { core: removeField('limit') }, 'extra body.limit accepted core'],
    [
      'requires no upgrade',
      { native: setField('upgradeRequired', false) },
      'value body.upgradeRequired regression native',
    ],
    [
      'has a different feature',
      { native: setField('feature', 'collaborators.invite') },
      'value body.feature regression unknown',
    ],
    [
      'returns forbidden',
      { native: replaceResponse(403, { error: 'forbidden' }) },
      'value body.error regression unknown',
      'missing body.? regression core',
    ],
  ]),
]
