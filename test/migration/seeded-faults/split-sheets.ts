import { changeField, createFaults, type Json, removeField, type SeededFault, setFields } from './fault.ts'

const replacesSheet = { label: 'tracks.split-sheet.replace', status: 200 } as const
const rejectsUnbalanced = {
  label: 'tracks.split-sheet.replace',
  status: 422,
  scenario: 'rejects writers with a total of 50 percent',
} as const

export const splitSheetFaults: readonly SeededFault[] = [
  ...createFaults({ on: 'native', ...replacesSheet, scenario: 'stores percentages with four decimals' }, [
    [
      'percentages with two decimals',
      changeField<{ percentage: number }[]>('master', (all) =>
        all.map((each) => ({ ...each, percentage: Math.round(each.percentage * 100) / 100 })),
      ),
      'value at body.master.*.percentage, regression',
    ],
  ]),
  ...createFaults({ on: 'native', ...replacesSheet, scenario: 'stores writers in the given order' }, [
    [
      'writers in another order',
      changeField<Json[]>('writers', (all) => all.toReversed()),
      'order at body.writers, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...replacesSheet, scenario: 'writes a sheet' }, [
    [
      'percentages as text',
      changeField<Json[]>('writers', (all) =>
        all.map((each) => ({ ...each, percentage: String(each.percentage) })),
      ),
      'type at body.writers.*.percentage, not_comparable',
    ],
    [
      'null instead of empty publishers',
      setFields({ publishers: null }),
      'type at body.publishers, not_comparable',
    ],
  ]),
  ...createFaults({ on: 'native', ...rejectsUnbalanced }, [
    [
      'issues at another path',
      changeField<Json[]>('issues', (all) => all.map((each) => ({ ...each, path: 'splits.writers' }))),
      'value at body.issues.*.path, regression',
    ],
    [
      'another total',
      changeField<Json[]>('issues', (all) => all.map((each) => ({ ...each, actual: 0 }))),
      'value at body.issues.*.actual, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...rejectsUnbalanced }, [
    [
      'issues without a code',
      changeField<Json[]>('issues', (all) => all.map(({ code: _, ...each }) => each)),
      'extra at body.issues.*.code, accepted',
    ],
    ['an error without issues', removeField('issues'), 'extra at body.issues, accepted'],
  ]),
]
