module liqo/playground/demo

go 1.26
