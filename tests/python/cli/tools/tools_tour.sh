# A package of tools: schemas, handlers, and a file that says what it is.
bascule tools new books --sample receivables
bascule tools check books
bascule tools call books ageing_report

# Served, it is an app like any other.
bascule tools serve books &
until bascule actions receivables 2>/dev/null; do sleep 0.2; done
bascule call receivables invoices_list status=overdue limit=3
bascule call receivables invoice_mark_paid number=INV-2026-004
bascule call receivables ageing_report
kill $!
