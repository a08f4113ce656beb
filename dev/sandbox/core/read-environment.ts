import * as z from 'zod'

export const positiveInteger = (defaultValue: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'not a whole number of 1 or more')
    .transform(Number)
    .default(defaultValue)

/** The error names each missing or invalid variable, but never its value. */
export const readEnvironment = <T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.output<T> => {
  const result = schema.safeParse(env)
  if (result.success) return result.data
  throw new Error(
    result.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`).join('; '),
  )
}
