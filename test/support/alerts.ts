import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const rulesFile = join(import.meta.dirname, '../../ops/prometheus/alerts.yml')

export interface AlertRule {
  readonly name: string
  readonly expression: string
}

/** Each expression must be on one line. */
export const readAlertRules = (): readonly AlertRule[] => {
  const rules = readFileSync(rulesFile, 'utf8')
  return [...rules.matchAll(/- alert: (\w+)\n +expr: >-\n +(.+)\n/g)].map(
    ([, name = '', expression = '']) => ({ name, expression }),
  )
}

const ownMetric = /\b(?:crossfade|process|nodejs)_\w+/g

/** Lists the names of the metrics in an expression, including the suffixes of histograms. */
export const listMetrics = (expression: string) => [...new Set(expression.match(ownMetric))]

const splitNames = (names: string) => names.split(',').map((name) => name.trim())

export const listLabels = (expression: string) => {
  const selectors = [...expression.matchAll(/\b((?:crossfade|process|nodejs)_\w+)\{([^}]*)\}/g)]
  return {
    selected: selectors.flatMap(([, metric = '', matchers = '']) =>
      [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => ({ metric, label })),
    ),
    grouped: [...expression.matchAll(/\b(?:by|on|without|ignoring|group_left) \(([^)]*)\)/g)].flatMap(
      ([, names = '']) => splitNames(names),
    ),
  }
}
