module liqo/playground/pause

go 1.26
