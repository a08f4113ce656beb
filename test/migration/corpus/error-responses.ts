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

const structural = {
  error: 'split_sheet_structural_validation_failed',
  issues: [
    { path: 'master', code: 'master_total_mismatch', message: 'adds up to 90', expected: 100, actual: 90 },
    { path: 'writers', code: 'writers_total_mismatch', message: 'adds up to 80', expected: 100, actual: 80 },
  ],
}

export const errorResponsePairs = [
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
        'missing body.issues regression core',
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
      [
        'has an additional field',
        { native: setField('reason', 'expired') },
        'extra body.reason accepted native',
      ],
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
      'missing body.code regression core',
      'missing body.feature regression core',
      'missing body.current regression core',
      'missing body.limit regression core',
      'missing body.planId regression core',
      'missing body.status regression core',
      'missing body.upgradeRequired regression core',
    ],
  ]),
  ...createResponsePairs('libraries.detail', recordedResponse(404, { error: 'library_not_found' }), [
    ['is equal', {}],
    [
      'has the error code of another resource',
      { native: setField('error', 'track_not_found') },
      'value body.error regression unknown',
    ],
    [
      'has an unknown error code',
      { native: setField('error', 'not_found') },
      'value body.error regression native',
    ],
    [
      'has an unknown error code at the core',
      { core: setField('error', 'not_found') },
      'value body.error not_comparable core',
    ],
    [
      'has an unknown error code on both sides',
      { both: setField('error', 'not_found') },
      'schema body.error regression both',
    ],
    ['has status 200', { native: replaceResponse(200, { id: 'l1' }) }, 'status status regression native'],
    [
      'has status 403',
      { native: replaceResponse(403, { error: 'forbidden' }) },
      'status status regression unknown',
    ],
    ['leaks the owner', { native: setField('ownerId', 'acct_owner') }, 'extra body.ownerId critical native'],
    [
      'leaks the owner in a response with another status',
      { native: replaceResponse(500, { error: 'internal_error', ownerId: 'acct_owner' }) },
      'status status regression native',
      'schema body.ownerId critical native',
    ],
    [
      'has status 500',
      { native: replaceResponse(500, { error: 'internal_error' }) },
      'status status regression unknown',
    ],
    [
      'has status 500 at the core',
      { core: replaceResponse(500, { error: 'internal_error' }) },
      'status status regression unknown',
    ],
    [
      'contains the stack',
      { native: replaceResponse(500, { message: 'x is not a function', stack: 'at y' }) },
      'status status regression native',
    ],
    [
      'has the status of another error code',
      { native: replaceResponse(409, { error: 'library_not_found' }) },
      'status status regression native',
    ],
  ]),
  ...createResponsePairs('libraries.create', recordedResponse(409, { error: 'library_name_conflict' }), [
    ['is equal', {}],
    [
      'has status 201',
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
      'has a different error code',
      { native: setField('error', 'slug_conflict') },
      'value body.error regression unknown',
    ],
  ]),
  ...createResponsePairs('tracks.split-sheet.replace', recordedResponse(422, structural), [
    ['is equal', {}],
    [
      'has a different message and order',
      { native: [setField('issues.0.message', 'is 90'), reverse('issues')] },
    ],
    [
      'has a different total',
      { native: setField('issues.0.actual', 90.0001) },
      'value body.issues.*.actual regression unknown',
    ],
    [
      'lacks the total',
      { native: removeField('issues.0.actual') },
      'missing body.issues.*.actual regression unknown',
    ],
    [
      'has a total that the core lacks',
      { core: removeField('issues.0.actual') },
      'extra body.issues.*.actual accepted unknown',
    ],
    [
      'has an unknown issue code',
      { native: setField('issues.0.code', 'total_mismatch') },
      'value body.issues.*.code regression native',
    ],
    [
      'has an additional issue',
      {
        native: setField('issues.2', { path: 'publishers', code: 'publishers_total_mismatch', message: '-' }),
      },
      'extra body.issues.* regression unknown',
    ],
  ]),
  ...createResponsePairs(
    'libraries.list',
    recordedResponse(405, { error: 'method_not_allowed' }, { allow: 'GET, POST' }),
    [
      ['has the same methods in a different order and case', { native: setHeader('allow', 'post,get') }],
      [
        'has an additional method',
        { native: setHeader('allow', 'GET, POST, PUT') },
        'header headers.allow regression unknown',
      ],
      ['has no allow header', { native: setHeader('allow') }, 'header headers.allow regression unknown'],
    ],
  ),
]
