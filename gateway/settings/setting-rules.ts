import type * as z from 'zod'

export interface Rule<S> {
  readonly holds: (settings: S) => boolean
  readonly name: string
  readonly error: string
  /** If one of these variables is invalid, the rule is not checked. */
  readonly dependsOn: readonly string[]
}

/**
 * Adds rules to a schema. They are checked even if other variables are invalid, and their errors are reported in the
 * order of the rules.
 */
export const applyRules = <T extends z.ZodObject>(schema: T, rules: readonly Rule<z.output<T>>[]): T =>
  rules.reduce<T>(
    (checked, { holds, name, error, dependsOn }) =>
      checked.refine(holds, {
        error,
        path: [name],
        when: ({ issues }) => !issues.some(({ path }) => dependsOn.includes(String(path?.[0]))),
      }),
    schema,
  )
