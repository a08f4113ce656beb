import * as z from 'zod'

const ErrorBody = z.object({
  error: z.string(),
  message: z.string().optional(),
  issues: z.array(z.object({ message: z.string() })).optional(),
})

export const describeErrorBody = (body: unknown): string | null => {
  const { data } = ErrorBody.safeParse(body)
  if (!data) return null
  // For invalid input, only the issues say what is wrong.
  return data.issues?.map(({ message }) => message).join(' ') || (data.message ?? data.error)
}
