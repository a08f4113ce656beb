import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

/** A problem of an API description, as one line. */
export type LintProblem = string

/** Lints a description with the recommended rules of Redocly. */
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

// The types of the two packages differ: the rules lack the optional field `extends`.
const asRuleset = (rules: unknown) => rules as RulesetDefinition

/** Lints a description with the rules of Spectral for OpenAPI. */
export const lintWithSpectral = async (document: object): Promise<readonly LintProblem[]> => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[asRuleset(oas), 'recommended']] })
  const problems = await linter.run({ ...document })
  return problems.map(
    ({ severity, code, message, path }) => `${severity} ${code} ${message} ${path.join('/')}`,
  )
}
