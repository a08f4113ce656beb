import { recordedResponse } from '../responses.ts'
import { createResponsePairs, removeField, replaceResponse, reverse, setField, setHeader } from './pairs.ts'

const structural = {
  error: 'split_sheet_structural_validation_failed',
  issues: [
    { path: 'master', code: 'master_total_mismatch', message: 'adds up to 90', expected: 100, actual: 90 },
    { path: 'writers', code: 'writers_total_mismatch', message: 'adds up to 80', expected: 100, actual: 80 },
  ],
}
export const errorResponsePairs = [
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
    ['leaks the owner', { native: setField('ownerId', 'acct_owner') }, 'extra body.? critical native'],
    [
      'leaks the owner in a response with another status',
      { native: replaceResponse(500, { error: 'internal_error', ownerId: 'acct_owner' }) },
      'status status regression native',
      'schema body.? critical native',
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
