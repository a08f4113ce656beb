import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

export type LintProblem = string

export const lintWithRedocly = async (document: object): Promise<readonly LintProblem[]> => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({
    source: JSON.stringify(document),
    config,
    absoluteRef: 'openapi.json',
  })
  return problems.map(
    ({ severity, ruleId, message, location }) =>
      `${severity} ${ruleId} ${message} ${location[0]?.pointer ?? ''}`,
  )
}

// The types of Spectral's two packages differ: the one for the rules lacks the optional field `extends`.
const asRuleset = (rules: unknown) => rules as RulesetDefinition

export const lintWithSpectral = async (document: object): Promise<readonly LintProblem[]> => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[asRuleset(oas), 'recommended']] })
  const problems = await linter.run({ ...document })
  return problems.map(
    ({ severity, code, message, path }) => `${severity} ${code} ${message} ${path.join('/')}`,
  )
}
