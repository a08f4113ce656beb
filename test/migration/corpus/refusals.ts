import { answer } from '../answers.ts'
import { drop, header, instead, noiseAt, noNoise, pairsOf, reverse, set, text } from './pairs.ts'

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

export const refusalPairs = [
  ...pairsOf(
    'libraries.create',
    answer(400, { error: 'validation_error', issues: [issue('name'), issue('description')] }),
    [
      ['refuses alike', {}],
      [
        'refuses by another word',
        { core: set('error', 'validation_failed') },
        'value body.error accepted core',
      ],
      [
        'refuses by the word of the core',
        { native: set('error', 'validation_failed') },
        'value body.error regression native',
      ],
      [
        'refuses by a third word',
        { core: set('error', 'bad_input') },
        'value body.error not_comparable core',
      ],
      ['explains it in other words', { native: set('issues.0.message', 'must not be empty') }],
      ['explains it in another order', { native: reverse('issues') }],
      [
        'explains one fault twice',
        { native: set('issues', [issue('name'), issue('description'), issue('name', 'is long')]) },
        'extra body.issues.* regression unknown',
      ],
      [
        'misses a fault',
        { native: set('issues', [issue('name')]) },
        'missing body.issues.* regression unknown',
      ],
      [
        'finds another fault',
        { native: set('issues.1.path', 'colour') },
        'value body.issues.*.path regression unknown',
      ],
      [
        'does not say where',
        { native: drop('issues.0.path') },
        'missing body.issues.*.path regression native',
      ],
      ['explains nothing', { native: drop('issues') }, 'missing body.issues regression native'],
      ['explains nothing at the core', { core: drop('issues') }, 'extra body.issues accepted core'],
      [
        'cannot read it',
        { native: instead(400, { error: 'invalid_json', message: 'unexpected token' }) },
        'value body.error regression unknown',
        'missing body.issues regression core',
        'extra body.message accepted unknown',
      ],
      [
        'takes it',
        {
          native: instead(201, {
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
        'calls it unprocessable',
        { native: instead(422, { error: 'validation_error', issues: [issue('name')] }) },
        'status status regression native',
      ],
      [
        'calls it unprocessable at the core',
        { core: instead(422, { error: 'validation_error', issues: [issue('name')] }) },
        'status status not_comparable core',
      ],
      [
        'says it in plain text',
        { native: [text('bad'), header('content-type', 'text/plain')] },
        'header headers.content-type regression unknown',
        'type body regression native',
      ],
    ],
  ),
  ...pairsOf('libraries.create', answer(400, { error: 'invalid_json', message: 'Unexpected end' }), [
    ['words it in its own way', { native: set('message', 'The body is not JSON.') }],
    ['does not word it', { native: drop('message') }, 'missing body.message regression native'],
  ]),
  ...pairsOf('libraries.list', answer(401, { error: 'unauthorized' }, { 'www-authenticate': 'Bearer' }), [
    ['asks alike', {}],
    ['asks in more detail', { native: header('www-authenticate', 'Bearer realm="api"') }],
    [
      'does not ask',
      { native: header('www-authenticate') },
      'header headers.www-authenticate regression unknown',
    ],
    [
      'asks where the core does not',
      { core: header('www-authenticate') },
      'header headers.www-authenticate accepted unknown',
    ],
    [
      'is never noise',
      { native: header('www-authenticate'), noise: noiseAt('header headers.www-authenticate') },
      'header headers.www-authenticate regression native',
    ],
    ['says more', { native: set('reason', 'expired') }, 'extra body.reason accepted native'],
    [
      'is never noise in its body',
      { native: set('error', 'forbidden'), noise: noiseAt('value body.error') },
      'value body.error regression native',
    ],
    ['lets the caller in', { native: instead(200, { records: [] }) }, 'status status regression unknown'],
    [
      'lets the caller in, of a steady core',
      { native: instead(200, { records: [] }), noise: noNoise },
      'status status regression native',
    ],
    ['forbids it', { native: instead(403, { error: 'forbidden' }) }, 'status status regression unknown'],
  ]),
  ...pairsOf('tracks.share-links.create', answer(403, limits), [
    ['names the same limit', {}],
    ['names another limit', { native: set('limit', 5) }, 'value body.limit regression unknown'],
    [
      'counts otherwise, which is never noise',
      { native: set('current', 2), noise: noiseAt('value body.current') },
      'value body.current regression core',
    ],
    ['names no limit', { native: set('limit', null) }, 'type body.limit regression unknown'],
    ['leaves the limit out', { native: drop('limit') }, 'missing body.limit regression native'],
    ['leaves the limit out at the core', { core: drop('limit') }, 'extra body.limit accepted core'],
    [
      'sells nothing',
      { native: set('upgradeRequired', false) },
      'value body.upgradeRequired regression native',
    ],
    [
      'names another feature',
      { native: set('feature', 'collaborators.invite') },
      'value body.feature regression unknown',
    ],
    [
      'is forbidden',
      { native: instead(403, { error: 'forbidden' }) },
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
  ...pairsOf('libraries.detail', answer(404, { error: 'library_not_found' }), [
    ['is not found', {}],
    [
      'is another thing that is not found',
      { native: set('error', 'track_not_found') },
      'value body.error regression unknown',
    ],
    [
      'is a word that nobody knows',
      { native: set('error', 'not_found') },
      'value body.error regression native',
    ],
    [
      'is a word that nobody knows at the core',
      { core: set('error', 'not_found') },
      'value body.error not_comparable core',
    ],
    [
      'is a word that nobody knows on both sides',
      { both: set('error', 'not_found') },
      'schema body.error regression both',
    ],
    ['is found', { native: instead(200, { id: 'l1' }) }, 'status status regression native'],
    [
      'is not of this caller',
      { native: instead(403, { error: 'forbidden' }) },
      'status status regression unknown',
    ],
    [
      'names the owner who has it',
      { native: set('ownerId', 'acct_owner') },
      'extra body.ownerId critical native',
    ],
    [
      'names the owner in an answer of another status',
      { native: instead(500, { error: 'internal_error', ownerId: 'acct_owner' }) },
      'status status regression native',
      'schema body.ownerId critical native',
    ],
    ['fails', { native: instead(500, { error: 'internal_error' }) }, 'status status regression unknown'],
    [
      'fails at the core',
      { core: instead(500, { error: 'internal_error' }) },
      'status status regression unknown',
    ],
    [
      'shows the stack',
      { native: instead(500, { message: 'x is not a function', stack: 'at y' }) },
      'status status regression native',
    ],
    [
      'is a code of another status',
      { native: instead(409, { error: 'library_not_found' }) },
      'status status regression native',
    ],
  ]),
  ...pairsOf('libraries.create', answer(409, { error: 'library_name_conflict' }), [
    ['conflicts', {}],
    [
      'wins both times',
      {
        native: instead(201, {
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
      'names another conflict',
      { native: set('error', 'slug_conflict') },
      'value body.error regression unknown',
    ],
  ]),
  ...pairsOf('tracks.split-sheet.replace', answer(422, structural), [
    ['finds the same', {}],
    [
      'words it otherwise, in another order',
      { native: [set('issues.0.message', 'is 90'), reverse('issues')] },
    ],
    [
      'adds up otherwise',
      { native: set('issues.0.actual', 90.0001) },
      'value body.issues.*.actual regression unknown',
    ],
    [
      'does not say what it found',
      { native: drop('issues.0.actual') },
      'missing body.issues.*.actual regression unknown',
    ],
    [
      'says what it found where the core does not',
      { core: drop('issues.0.actual') },
      'extra body.issues.*.actual accepted unknown',
    ],
    [
      'gives it a code of its own',
      { native: set('issues.0.code', 'total_mismatch') },
      'value body.issues.*.code regression native',
    ],
    [
      'finds one fault more',
      { native: set('issues.2', { path: 'publishers', code: 'publishers_total_mismatch', message: '-' }) },
      'extra body.issues.* regression unknown',
    ],
  ]),
  ...pairsOf('libraries.list', answer(405, { error: 'method_not_allowed' }, { allow: 'GET, POST' }), [
    ['allows the same in another order', { native: header('allow', 'post,get') }],
    ['allows more', { native: header('allow', 'GET, POST, PUT') }, 'header headers.allow regression unknown'],
    ['does not say what', { native: header('allow') }, 'header headers.allow regression unknown'],
  ]),
]
