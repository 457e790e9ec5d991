/** A number that matters, with what it means. */
export function Figure({ label, value, note }: { label: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <strong>{value}</strong>
        {note && <span class="quiet">{note}</span>}
      </dd>
    </div>
  );
}
